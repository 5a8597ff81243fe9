import type { OpenApiExample } from '@msg/core/internal';

/** Recorded by `npm run docs:examples`; do not edit. By method of the RPC, or command of the HTTP API. */
export const EXAMPLES: Readonly<Record<string, OpenApiExample>> = {
  Manifest: {
    request: {},
    answer: {
      code: 'OK',
      type: 'msg.manifest',
      kind: 'msg.manifest',
      format_version: '1.0',
      generated_at: '2026-11-22T19:48:03.858Z',
      payload: {
        service: 'msg',
        version: 'dev',
        boot_id: '7b1f441b-3201-4d66-9def-69470a5aeeb1',
        runtime_version: 'node v26.10.0',
        surfaces: ['cli', 'twirp', 'websocket'],
        sinks: ['orders'],
        visibilities: ['public', 'private'],
        max_private_ttl: '1h0m0s',
        persistence: 'in-memory',
        shared_store: false,
        key_rotation: 'supported',
        active_key_id: 'k-293fff8c83e8',
        dlq_backend: 'memory',
        sink_retry: {
          max_attempts: 1,
          base_backoff: '1s',
          max_backoff: '30s',
          jitter_fraction: 0.2,
        },
        rate_limits: {
          publish: {
            rate: 0,
            per: '0s',
            burst: 0,
          },
          subscribe: {
            rate: 0,
            per: '0s',
            burst: 0,
          },
          token_issue: {
            rate: 0,
            per: '0s',
            burst: 0,
          },
        },
        metrics_enabled: true,
        metrics_path: '/metrics',
        tracing_enabled: false,
        scope_grammar: 'visibility:segment(.segment)*[.*][.**]',
        supported_verbs: ['subscribe', 'publish', 'manage'],
        deny_supported: true,
        scope_precedence: 'deny-wins',
        transports: ['websocket', 'http_stream'],
        delta_compression: 'supported',
        config_source: '/tmp/openapi-pc2I4L/msg.yaml',
        admin_ui_enabled: false,
        auth_oidc_enabled: false,
        revocation_store_enabled: true,
        strict_requests: false,
        client_script: {
          path: '/msg.js',
          integrity: 'sha384-lp7c9YFMv+P6CTIsSJxWZADQglvOeOOLyy0RxladblBi8LyjwsaY9QI0WxTOkqQJ',
        },
      },
    },
  },
  CreateApiKey: {
    request: {
      name: 'reports',
      grants: [
        {
          pattern: 'public:shop.**',
          verbs: ['publish'],
        },
      ],
      ttl_seconds: 86400,
    },
    answer: {
      name: 'reports',
      key: 'msgk_5ddaxgqt_…',
      id: '5ddaxgqt',
    },
  },
  ListApiKeys: {
    request: {},
    answer: {
      keys: [
        {
          name: 'shop',
          role: 'admin',
          declared: true,
          grants: [],
          expires_at: '',
          secrets: [
            {
              slot: 0,
              id: '',
              expires_at: '',
              last_used_at: '2026-11-22T19:48:03.875Z',
            },
          ],
        },
        {
          name: 'reports',
          role: 'admin',
          declared: false,
          grants: [
            {
              pattern: 'public:shop.**',
              verbs: ['publish'],
            },
          ],
          expires_at: '2026-11-23T19:48:03.871Z',
          secrets: [
            {
              slot: 0,
              id: '5ddaxgqt',
              expires_at: '',
              last_used_at: '',
            },
          ],
        },
      ],
    },
  },
  RotateApiKey: {
    request: {
      name: 'reports',
      overlap_seconds: 3600,
    },
    answer: {
      name: 'reports',
      key: 'msgk_u2s4vmid_…',
      id: 'u2s4vmid',
    },
  },
  RevokeApiKey: {
    request: {
      name: 'reports',
    },
    answer: {},
  },
  OpenPublic: {
    request: {
      name: 'public:shop.news',
      ttl_seconds: 3600,
    },
    answer: {
      channel: {
        name: 'public:shop.news',
        state: 'open',
        ttl_seconds: 3600,
        created_at: '2026-11-22T19:48:03.905Z',
        last_active: '2026-11-22T19:48:03.905Z',
        visibility: 'public',
      },
    },
  },
  CreatePrivate: {
    request: {
      name: 'private:shop.order.1042',
      subject: 'ann',
      scopes: [
        {
          pattern: 'private:shop.order.1042',
          verbs: ['subscribe'],
        },
      ],
    },
    answer: {
      name: 'private:shop.order.1042',
      access_token: 'eyJhbGciOiJI…',
      refresh_token: 'eyJhbGciOiJI…',
      access_expires_unix: 1795377183,
      refresh_expires_unix: 1795377783,
      created: true,
    },
  },
  ListChannels: {
    request: {},
    answer: {
      channels: [
        {
          name: 'private:shop.order.1042',
          state: 'open',
          ttl_seconds: 900,
          created_at: '2026-11-22T19:48:03.926Z',
          last_active: '2026-11-22T19:48:03.926Z',
          visibility: 'private',
        },
        {
          name: 'public:msg.registry.schemas',
          state: 'open',
          ttl_seconds: 315360000,
          created_at: '2026-11-22T19:48:03.780Z',
          last_active: '2026-11-22T19:48:03.780Z',
          visibility: 'public',
        },
        {
          name: 'public:shop.news',
          state: 'open',
          ttl_seconds: 3600,
          created_at: '2026-11-22T19:48:03.905Z',
          last_active: '2026-11-22T19:48:03.905Z',
          visibility: 'public',
        },
      ],
    },
  },
  GetChannel: {
    request: {
      name: 'public:shop.news',
    },
    answer: {
      channel: {
        name: 'public:shop.news',
        state: 'open',
        ttl_seconds: 3600,
        created_at: '2026-11-22T19:48:03.905Z',
        last_active: '2026-11-22T19:48:03.905Z',
        visibility: 'public',
      },
    },
  },
  Publish: {
    request: {
      name: 'public:shop.news',
      json: {
        headline: 'Hello',
      },
    },
    answer: {
      offset: 1,
      epoch: 'qUIgIEkh',
      suppressed: false,
    },
  },
  PublishMany: {
    request: {
      items: [
        {
          name: 'public:shop.news',
          json: 1,
        },
        {
          name: 'public:shop.closed',
          json: 2,
        },
      ],
    },
    answer: {
      results: [
        {
          offset: 2,
          epoch: 'qUIgIEkh',
          suppressed: false,
          error: null,
        },
        {
          offset: 0,
          epoch: '',
          suppressed: false,
          error: {
            code: 'MSG_CHANNEL_NOT_FOUND',
            message: 'channel public:shop.closed is not known',
          },
        },
      ],
    },
  },
  Broadcast: {
    request: {
      names: ['public:shop.news', 'private:shop.order.1042'],
      json: {
        closes: '20:00',
      },
    },
    answer: {
      results: [
        {
          name: 'public:shop.news',
          offset: 3,
          epoch: 'qUIgIEkh',
          suppressed: false,
          error: null,
        },
        {
          name: 'private:shop.order.1042',
          offset: 1,
          epoch: 'PSgjPeZg',
          suppressed: false,
          error: null,
        },
      ],
    },
  },
  Presence: {
    request: {
      name: 'public:shop.news',
    },
    answer: {
      subscribers: 1,
    },
  },
  Position: {
    request: {
      name: 'public:shop.news',
    },
    answer: {
      offset: 3,
      epoch: 'qUIgIEkh',
    },
  },
  ExplainAccess: {
    request: {
      name: 'private:shop.order.1042',
      verb: 'subscribe',
      token: 'eyJhbGciOiJI…',
    },
    answer: {
      allowed: true,
      code: '',
      decided_by: 'chs',
      detail: 'subscribe is granted',
      channel_state: 'open',
    },
  },
  RefreshToken: {
    request: {
      refresh_token: 'eyJhbGciOiJI…',
    },
    answer: {
      access_token: 'eyJhbGciOiJI…',
      expires_at: '2026-11-22T19:53:03.000Z',
      access_expires_unix: 1795377183,
      refresh_token: 'eyJhbGciOiJI…',
      refresh_expires_unix: 1795377783,
      rotated: true,
    },
  },
  IssueAccess: {
    request: {
      subject: 'ann',
      scopes: [
        {
          pattern: 'private:shop.**',
          verbs: ['subscribe', 'publish'],
        },
      ],
    },
    answer: {
      name: '',
      access_token: 'eyJhbGciOiJI…',
      refresh_token: 'eyJhbGciOiJI…',
      access_expires_unix: 1795377183,
      refresh_expires_unix: 1795380483,
    },
  },
  IssueMgmt: {
    request: {
      subject: 'deploy',
      ttl_seconds: 3600,
    },
    answer: {
      mgmt_token: 'eyJhbGciOiJI…',
      expires_unix: 1795380483,
      expires_at: '2026-11-22T20:48:03.000Z',
      signed_by_key_id: 'k-293fff8c83e8',
    },
  },
  PublishOrSink: {
    request: {
      name: 'public:shop.order.7',
      json: {
        state: 'paid',
      },
      sink: 'orders',
      message: {
        subject: 'Order 7',
        body: 'paid',
      },
    },
    answer: {
      outcome: 'parked',
      delivered: true,
      via: 'dlq',
      offset: 0,
      epoch: '',
      suppressed: false,
    },
  },
  DlqList: {
    request: {
      sink: 'orders',
      limit: 10,
    },
    answer: {
      items: [
        {
          id: 'a326b7a1921c5c1e',
          sink: 'orders',
          channel: 'public:shop.order.7',
          recipient: null,
          message: {
            subject: 'Order 7',
            body: 'paid',
            metadata: {},
          },
          last_error: 'webhook cannot be reached: ECONNREFUSED',
          attempts: 1,
          parked_at: '2026-11-22T19:48:03.975Z',
          at: '2026-11-22T19:48:03.975Z',
          subject: 'Order 7',
          body: 'paid',
          metadata: {},
        },
      ],
    },
  },
  DlqCount: {
    request: {
      sink: 'orders',
    },
    answer: {
      count: 1,
    },
  },
  DlqReplay: {
    request: {
      id: 'a326b7a1921c5c1e',
    },
    answer: {
      outcome: 'parked',
    },
  },
  DlqDiscard: {
    request: {
      id: 'a326b7a1921c5c1e',
    },
    answer: {},
  },
  RegisterSchema: {
    request: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'where an order stands',
        aspects: {
          status: {
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
    },
    answer: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'where an order stands',
        version: 1,
        aspects: {
          status: {
            name: 'status',
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
    },
  },
  ListSchemas: {
    request: {},
    answer: {
      patterns: [
        {
          pattern: 'public:shop.order.{id}',
          description: 'where an order stands',
          version: 1,
          aspects: {
            status: {
              name: 'status',
              payload_schema: {
                type: 'object',
                required: ['state'],
                properties: {
                  state: {
                    type: 'string',
                    enum: ['open', 'paid'],
                  },
                },
              },
            },
          },
        },
      ],
      at: '2026-11-22T19:48:03.993Z',
    },
  },
  GetSchema: {
    request: {
      channel: 'public:shop.order.7',
    },
    answer: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'where an order stands',
        version: 1,
        aspects: {
          status: {
            name: 'status',
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
      bindings: {
        id: '7',
      },
      history: [
        {
          pattern: 'public:shop.order.{id}',
          description: 'where an order stands',
          version: 1,
          aspects: {
            status: {
              name: 'status',
              payload_schema: {
                type: 'object',
                required: ['state'],
                properties: {
                  state: {
                    type: 'string',
                    enum: ['open', 'paid'],
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  CheckSchema: {
    request: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'the state of an order',
        aspects: {
          status: {
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
    },
    answer: {
      compatible: true,
      changes: [],
    },
  },
  UpdateSchema: {
    request: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'the state of an order',
        aspects: {
          status: {
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
    },
    answer: {
      schema: {
        pattern: 'public:shop.order.{id}',
        description: 'the state of an order',
        version: 2,
        aspects: {
          status: {
            name: 'status',
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: {
                state: {
                  type: 'string',
                  enum: ['open', 'paid'],
                },
              },
            },
          },
        },
      },
      compatible: true,
      changes: [],
    },
  },
  DeregisterSchema: {
    request: {
      pattern: 'public:shop.order.{id}',
    },
    answer: {},
  },
  RevokeToken: {
    request: {
      token_id: 'T8rkYbi2yziU3MxCH7DAzA',
      reason: 'a lost laptop',
    },
    answer: {},
  },
  RevokeUser: {
    request: {
      user_id: 'ben',
      reason: 'left the company',
    },
    answer: {},
  },
  ListKeys: {
    request: {},
    answer: {
      active_key_id: 'k-293fff8c83e8',
      keys: [
        {
          id: 'k-293fff8c83e8',
          kid: 'k-293fff8c83e8',
          role: 'active',
          created_at: '2026-11-22T19:48:03.764Z',
          retired_at: '',
          alg: 'HS256',
          fingerprint: '0b6ed70d5d25',
        },
      ],
    },
  },
  GenerateKey: {
    request: {
      alg: 'ES256',
    },
    answer: {
      id: 'k-d93ff447bcc1',
      kid: 'k-d93ff447bcc1',
      role: 'verify-only',
      created_at: '2026-11-22T19:48:05.004Z',
      retired_at: '',
      alg: 'ES256',
      fingerprint: 'd8ab9792124f',
    },
  },
  PromoteKey: {
    request: {
      id: 'k-d93ff447bcc1',
    },
    answer: {},
  },
  RetireKey: {
    request: {
      id: 'k-293fff8c83e8',
    },
    answer: {},
  },
  ReloadKeys: {
    request: {},
    answer: {},
  },
  'api/publish': {
    request: {
      channel: 'public:shop.news',
      data: {
        headline: 'Good morning',
      },
      tags: {
        topic: 'world',
      },
    },
    answer: {
      result: {
        offset: 4,
        epoch: 'qUIgIEkh',
      },
    },
  },
  'api/broadcast': {
    request: {
      channels: ['public:shop.news', 'public:shop.closed'],
      data: {
        closes: '20:00',
      },
    },
    answer: {
      result: {
        responses: [
          {
            result: {
              offset: 5,
              epoch: 'qUIgIEkh',
            },
          },
          {
            error: {
              code: 102,
              message: 'unknown channel',
            },
          },
        ],
      },
    },
  },
  'api/subscribe': {
    request: {
      user: 'ann',
      channel: 'private:shop.order.1042',
      expire_at: 2000000000,
    },
    answer: {
      result: {},
    },
  },
  'api/unsubscribe': {
    request: {
      user: 'ann',
      channel: 'private:shop.order.1042',
    },
    answer: {
      result: {},
    },
  },
  'api/disconnect': {
    request: {
      user: 'ben',
      whitelist: ['50f649f2-e4f5-41c0-9325-3ae2e97af65e'],
    },
    answer: {
      result: {},
    },
  },
  'api/refresh': {
    request: {
      user: 'ann',
      expire_at: 2000000000,
    },
    answer: {
      result: {},
    },
  },
  'api/presence': {
    request: {
      channel: 'public:shop.news',
    },
    answer: {
      result: {
        presence: {
          '45756885-1eb5-4353-927a-75d6740544fa': {
            user: '',
            client: '45756885-1eb5-4353-927a-75d6740544fa',
          },
        },
      },
    },
  },
  'api/presence_stats': {
    request: {
      channel: 'public:shop.news',
    },
    answer: {
      result: {
        num_clients: 1,
        num_users: 1,
      },
    },
  },
  'api/history': {
    request: {
      channel: 'public:shop.news',
      limit: 2,
      reverse: true,
    },
    answer: {
      result: {
        publications: [
          {
            data: {
              closes: '20:00',
            },
            offset: 5,
          },
          {
            data: {
              headline: 'Good morning',
            },
            offset: 4,
            tags: {
              topic: 'world',
            },
          },
        ],
        offset: 5,
        epoch: 'qUIgIEkh',
      },
    },
  },
  'api/channels': {
    request: {
      pattern: 'public:shop.*',
    },
    answer: {
      result: {
        channels: {
          'public:shop.news': {
            num_clients: 1,
          },
        },
      },
    },
  },
  'api/info': {
    request: {},
    answer: {
      result: {
        nodes: [
          {
            uid: 'f9f0b8a1-b16d-4dae-b2b1-ecf21231a22b',
            name: 'f9f0b8a1-b16d-4dae-b2b1-ecf21231a22b',
            version: 'dev',
            num_clients: 1,
            num_users: 1,
            num_channels: 1,
            num_subs: 1,
            uptime: 1,
            process: {
              cpu: 0.776405,
              rss: 145846272,
            },
          },
        ],
      },
    },
  },
  'api/rpc': {
    request: {
      method: 'stock',
      params: {
        article: 7,
      },
    },
    answer: {
      error: {
        code: 104,
        message: 'not found',
      },
    },
  },
  'api/revoke_token': {
    request: {
      uid: 'T8rkYbi2yziU3MxCH7DAzA',
    },
    answer: {
      result: {},
    },
  },
  'api/invalidate_user_tokens': {
    request: {
      user: 'ben',
    },
    answer: {
      result: {},
    },
  },
  'api/batch': {
    request: {
      commands: [
        {
          publish: {
            channel: 'public:shop.news',
            data: 1,
          },
        },
        {
          presence_stats: {
            channel: 'public:shop.news',
          },
        },
      ],
      parallel: true,
    },
    answer: {
      replies: [
        {
          publish: {
            offset: 6,
            epoch: 'qUIgIEkh',
          },
        },
        {
          presence_stats: {
            num_clients: 1,
            num_users: 1,
          },
        },
      ],
    },
  },
  api: {
    request: {
      id: 1,
      method: 'publish',
      params: {
        channel: 'public:shop.news',
        data: 2,
      },
    },
    answer: {
      id: 1,
      result: {
        offset: 7,
        epoch: 'qUIgIEkh',
      },
    },
  },
  'api/history_remove': {
    request: {
      channel: 'public:shop.news',
    },
    answer: {
      result: {},
    },
  },
  RemoveHistory: {
    request: {
      name: 'public:shop.news',
    },
    answer: {},
  },
  DeleteChannel: {
    request: {
      name: 'public:shop.news',
    },
    answer: {},
  },
};
