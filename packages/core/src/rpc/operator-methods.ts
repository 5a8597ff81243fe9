import * as connections from './connection-messages.ts';
import * as feeds from './feed-messages.ts';
import * as keyUsage from './key-usage-messages.ts';
import { channelRef, channelResponse, empty } from './messages.ts';
import { reads, targets, writes } from './method-rights.ts';
import { CHANNEL, CHANNEL_NAME, LISTING, LOOK, method, NODE, SERVICE } from './method-row.ts';
import * as nodes from './node-messages.ts';
import * as ops from './operator-messages.ts';
import * as recordings from './recording-messages.ts';

/** What operators see and do: rows of the method table. Source: console, section 7. */
export const OPERATOR_METHODS = {
  WhoAmI: method(NODE, reads('viewer'), empty, ops.whoAmIResponse),
  TouchChannel: method(CHANNEL, writes('operator', CHANNEL_NAME), channelRef, channelResponse),
  CloseChannel: method(CHANNEL, writes('operator', CHANNEL_NAME), channelRef, channelResponse),
  History: method(CHANNEL, reads('viewer'), ops.historyRequest, ops.historyResponse),
  PresenceList: method(
    CHANNEL,
    reads('viewer'),
    connections.presenceListRequest,
    connections.presenceListResponse,
  ),
  ListConnections: method(
    LISTING,
    reads('viewer'),
    connections.listConnectionsRequest,
    connections.listConnectionsResponse,
  ),
  GetConnection: method(
    LISTING,
    reads('viewer'),
    connections.connectionRef,
    connections.getConnectionResponse,
  ),
  ListUsers: method(SERVICE, reads('viewer'), connections.listUsersRequest, connections.listUsersResponse),
  Disconnect: method(
    SERVICE,
    writes('operator', targets('client', 'client', targets('user', 'user')), ['reconnect', 'reason']),
    connections.disconnectRequest,
    connections.disconnectResponse,
  ),
  Unsubscribe: method(
    CHANNEL,
    writes('operator', CHANNEL_NAME, ['client', 'user', 'all']),
    connections.unsubscribeRequest,
    connections.unsubscribeResponse,
  ),
  StartRecording: method(
    SERVICE,
    writes('operator', targets('client', 'client'), ['seconds', 'payloads', 'user']),
    recordings.startRecordingRequest,
    recordings.startRecordingResponse,
  ),
  GetRecording: method(
    SERVICE,
    reads('operator'),
    recordings.getRecordingRequest,
    recordings.getRecordingResponse,
  ),
  StopRecording: method(
    SERVICE,
    writes('operator', targets('recording', 'recording')),
    recordings.recordingRef,
    empty,
  ),
  OpenFeed: method(NODE, reads('viewer'), feeds.openFeedRequest, feeds.feedResponse),
  RenewFeed: method(NODE, reads('viewer'), feeds.feedRef, feeds.feedResponse),
  CloseFeed: method(NODE, reads('viewer'), feeds.feedRef, empty),
  StartTail: method(LOOK, reads('viewer'), feeds.startTailRequest, feeds.startTailResponse),
  StopTail: method(NODE, reads('viewer'), feeds.stopTailRequest, empty),
  AuditList: method(SERVICE, reads('operator'), ops.auditListRequest, ops.auditListResponse),
  KeyUsage: method(SERVICE, reads('viewer'), empty, keyUsage.keyUsageResponse),
  ListNodes: method(NODE, reads('viewer'), empty, nodes.listNodesResponse),
  Config: method(SERVICE, reads('admin'), empty, nodes.configResponse),
} as const;
