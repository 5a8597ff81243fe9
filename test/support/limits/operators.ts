import { inServer } from '../constant-source.ts';
import { server } from '../evidence.ts';
import type { LimitRow } from './row.ts';

const REFUSED = server('cli/commands', '%s refuses bad input with a code');
const DIRECTORY_AGE =
  'is made anew behind an answer when it is ten seconds old, and dropped a minute after the last';

/** Rows of what operators see. */
export const OPERATOR_LIMITS: Readonly<Record<string, LimitRow>> = {
  'connections, or users, on one page': {
    constants: [inServer('rpc/connections', 'DEFAULT_LIMIT'), inServer('rpc/connections', 'MAX_LIMIT')],
    tests: [REFUSED, server('connections/listing', 'refuses %j')],
  },
  'holders of a signing key that KeyUsage names': {
    constants: [inServer('connections/key-usage', 'MAX_HOLDERS')],
    tests: [server('connections/key-usage', 'names the fifty that were seen last, each once')],
  },
  'letters that one job of dead letters names by their ids': {
    constants: [inServer('rpc/dead-letters', 'MAX_IDS')],
    tests: [server('rpc/redrive', 'refuses %j')],
  },
  'letters that DlqDiscard or DlqRestore names by their ids': {
    constants: [inServer('rpc/dead-letters', 'MAX_IDS')],
    tests: [
      server('rpc/letter-changes', 'DlqDiscard refuses %j'),
      server('rpc/letter-changes', 'DlqRestore refuses %j'),
    ],
  },
  'time in which a discard can be taken back': {
    constants: [inServer('rpc/letter-changes', 'MAX_UNDO_SECONDS')],
    tests: [server('rpc/letter-changes', 'DlqDiscard refuses %j')],
  },
  'changes of one dead letter that are remembered': {
    constants: [inServer('notify/dead-letters/contract', 'EDITS_KEPT')],
    tests: [server('notify/dead-letters/memory', 'it remembers the last 20 changes of a letter')],
  },
  'letters per second of such a job': {
    constants: [['rpc/redrive', 'DEFAULT_PER_SECOND', 5]],
    tests: [server('rpc/redrive', 'refuses %j')],
  },
  'sends at a time of such a job': {
    constants: [inServer('rpc/redrive', 'DEFAULT_CONCURRENCY'), inServer('rpc/redrive', 'MAX_CONCURRENCY')],
    tests: [server('rpc/redrive', 'refuses %j')],
  },
  'failures in a row that such a job takes': {
    constants: [inServer('rpc/redrive', 'DEFAULT_FAILURES'), inServer('rpc/redrive', 'MAX_FAILURES')],
    tests: [
      server(
        'notify/dead-letters/jobs/redrive',
        'ends after failures in a row: a dead destination is not hammered',
      ),
    ],
  },
  'such jobs that one node works on; of one sink, on all nodes': {
    constants: [inServer('notify/dead-letters/jobs/redrive', 'MAX_JOBS_OF_NODE')],
    tests: [
      server('notify/dead-letters/jobs/redrive', 'is the only one of its sink, and there are four on a node'),
      server(
        'notify/dead-letters/jobs/redrive',
        'are queued: the next one begins when another ends, and a stop ends one that has not begun',
      ),
    ],
  },
  'record of such a job, after it was last stored': {
    constants: [inServer('notify/dead-letters/jobs/contract', 'JOB_KEPT_MS')],
    tests: [
      server(
        'notify/dead-letters/jobs/kept',
        'a job that goes on for longer than a day keeps its record, until a day after its end, in memory',
      ),
      server(
        'notify/dead-letters/jobs/kept',
        'a job that goes on for longer than a day keeps its record and its letters, on Redis',
      ),
    ],
  },
  'JSON of the rows of such a page, or of one of PresenceList': {
    constants: [inServer('rpc/page-bytes', 'PAGE_BYTES')],
    tests: [
      server(
        'connections/page-bytes',
        'is at most 64 kB of JSON with users of %i characters, and the pages together have every row once',
      ),
    ],
  },
  'groups of letters that DlqJobs names of a job': {
    constants: [inServer('rpc/redrive', 'MOST_GROUPS')],
    tests: [server('rpc/answer-bytes', 'which are more than an answer holds end early and say so')],
  },
  'JSON of the rows of one answer of History, AuditList, DlqGroups and DlqJobs, and of one letter; of DlqList':
    {
      constants: [
        inServer('rpc/page-bytes', 'ANSWER_BYTES'),
        inServer('notify/dead-letters/pages', 'MOST_BYTES'),
      ],
      tests: [
        server('rpc/answer-bytes', 'of payloads of %s ends early and goes on, with each publication once'),
        server('rpc/answer-bytes', 'of one payload of 1 MiB shows as much of it as fits, and says so'),
        server('rpc/answer-bytes', 'with bodies of %s ends early, and its cursors lead to each letter once'),
        server('rpc/answer-bytes', 'of %s, longer than an answer, is cut and says so'),
        server(
          'rpc/answer-bytes',
          'with tags of %s longer than an answer shows a part of them, and its payload',
        ),
        server('rpc/answer-bytes', 'which are more than an answer holds end early and say so'),
        server(
          'rpc/answer-bytes',
          'of callers with long names ends early, and its cursors lead to each record once',
        ),
      ],
    },
  'JSON of the connections, users or subscribers that one node names to another': {
    constants: [inServer('connections/local', 'SURVEY_BYTES')],
    tests: [
      server('connections/survey-bytes', 'are all in the list of users, each once'),
      server(
        'connections/survey-bytes',
        'subscribers with much to tell are all in the presence of a channel, in answers of 256 KiB',
      ),
    ],
  },
  'a user in a cursor of a listing': {
    constants: [inServer('connections/user-order', 'MOST_BYTES')],
    tests: [
      server(
        'connections/user-order',
        'takes at most 128 bytes of JSON, and is another one for another user',
      ),
    ],
  },
  'sign of life of such a job in the shared store': {
    constants: [inServer('notify/dead-letters/jobs/contract', 'HOLD_MS')],
    tests: [
      server(
        'notify/dead-letters/jobs/redrive',
        'goes on at another node when its own died, and sends nothing twice',
      ),
    ],
  },
  'subscribers on one page of PresenceList': {
    constants: [
      inServer('rpc/connections', 'DEFAULT_PRESENCE_LIMIT'),
      inServer('rpc/connections', 'MAX_LIMIT'),
    ],
    tests: [REFUSED],
  },
  'publications on one page of History': {
    constants: [inServer('rpc/history', 'DEFAULT_LIMIT'), inServer('rpc/history', 'MAX_LIMIT')],
    tests: [REFUSED],
  },
  'records on one page of the audit': {
    constants: [inServer('rpc/audit', 'DEFAULT_LIMIT'), inServer('rpc/audit', 'MAX_LIMIT')],
    tests: [REFUSED],
  },
  'channels on one page of ListChannels': {
    constants: [
      inServer('rpc/channel-listing', 'DEFAULT_LIMIT'),
      inServer('rpc/channel-listing', 'MAX_LIMIT'),
      inServer('rpc/channel-listing', 'MAX_COUNTED'),
    ],
    tests: [server('rpc/channel-listing', 'refuses %j')],
  },
  'channels that ListChannels lists by subscribers': {
    constants: [inServer('connections/channel-counts', 'NAMED')],
    tests: [server('rpc/channel-listing', 'counts subscribers of a page, and lists the busiest')],
  },
  'part of the name that ListChannels looks for': {
    constants: [inServer('rpc/channel-listing', 'MAX_QUERY_BYTES')],
    tests: [server('rpc/channel-listing', 'refuses %j')],
  },
  'the copy of the registry that pages of channels come from': {
    constants: [inServer('channels/directory', 'REBUILD_MS'), inServer('channels/directory', 'KEEP_MS')],
    tests: [server('channels/directory', DIRECTORY_AGE)],
  },
  'a node that does not answer the question of another': {
    constants: [inServer('realtime/node-surveys', 'WITHIN_MS')],
    tests: [server('blackbox/cluster/operators', 'are told of a node that does not answer')],
  },
  'the last minute of a node in ListNodes': {
    constants: [inServer('nodes/last-minute', 'SAMPLE_MS'), inServer('nodes/last-minute', 'IDLE_MS')],
    tests: [
      server('nodes/last-minute', 'costs nothing when nobody has asked for a minute, and begins again'),
    ],
  },
  'live feeds of a node; of a credential': {
    constants: [inServer('live/feeds', 'MAX_FEEDS'), inServer('live/feed', 'MAX_FEEDS_OF_OWNER')],
    tests: [
      server('live/feeds', 'is one of five of a credential'),
      server('live/feed-life', 'is one of two hundred of a node, and one that is closed makes room'),
    ],
  },
  'access token of a live feed; how long its feed outlives it': {
    constants: [inServer('live/feeds', 'TOKEN_MS'), inServer('live/feeds', 'GRACE_MS')],
    tests: [
      server(
        'live/feeds',
        'has a token for its channel alone, and is renewed and closed by the credential that opened it',
      ),
      server('live/feed-life', 'that is not renewed ends 60 s after its token, which lasts 2 min'),
    ],
  },
  'tails of a feed; of a node': {
    constants: [inServer('live/feed-tails', 'MAX_TAILS_OF_FEED'), inServer('live/feed-tails', 'MAX_TAILS')],
    tests: [server('live/feeds', 'shows viewers no payload, and is one of five of a feed')],
  },
  'publications per second that a tail shows': {
    constants: [inServer('rpc/feeds', 'DEFAULT_PER_SECOND'), inServer('rpc/feeds', 'MAX_PER_SECOND')],
    tests: [server('live/feeds', '%s refuses %j')],
  },
  'bytes of a payload that a tail shows; of a batch': {
    constants: [
      inServer('rpc/feeds', 'DEFAULT_PAYLOAD_BYTES'),
      inServer('rpc/feeds', 'MAX_PAYLOAD_BYTES'),
      inServer('live/tail', 'MAX_BATCH_BYTES'),
      inServer('live/feed-tails', 'BATCH_MS'),
    ],
    tests: [server('live/tail', 'sends at most 256 KiB at a time')],
  },
  'channels that a batch of lifecycle events names': {
    constants: [inServer('live/feed', 'MAX_NAMES')],
    tests: [server('live/feeds', 'tells what was asked for, and nothing else')],
  },
  'how long a connection is recorded': {
    constants: [inServer('rpc/recordings', 'DEFAULT_SECONDS'), inServer('rpc/recordings', 'MAX_SECONDS')],
    tests: [server('live/recordings', '%s refuses %j')],
  },
  'recordings of a node at a time; of a connection': {
    constants: [inServer('live/recordings', 'MAX_RECORDINGS')],
    tests: [
      server('live/recordings', 'are five on a node'),
      server('live/recordings', 'end when they are stopped, and are one for a connection'),
    ],
  },
  'frames that a recording keeps, with bytes of one frame': {
    constants: [
      inServer('live/frame-ring', 'MAX_FRAMES'),
      inServer('live/frame-ring', 'MAX_FRAME_BYTES'),
      inServer('live/frame-ring', 'MAX_BYTES'),
    ],
    tests: [server('live/recordings', 'keep the newest 500 frames, 2 KiB of each')],
  },
  'an ended recording': {
    constants: [inServer('live/recordings', 'KEPT_MS')],
    tests: [server('live/recordings', 'end with their time')],
  },
};
