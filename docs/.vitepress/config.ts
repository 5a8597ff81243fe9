import { defineConfig } from 'vitepress';

const page = (text: string, link: string): { text: string; link: string } => ({ text, link: `/${link}` });

/** The documentation as a site: `npm run docs` while writing, `npm run docs:build` for the files. */
export default defineConfig({
  title: 'msg',
  description: 'A realtime messaging service for TypeScript that speaks the Centrifuge client protocol.',
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  outDir: '../.tmp/site',
  cacheDir: '../.tmp/site-cache',
  cleanUrls: true,
  lastUpdated: false,
  // Links to files of the repository; a test follows them.
  ignoreDeadLinks: [/^(\.\.\/|\.\/\.\.\/)/],
  markdown: { languageAlias: { output: 'log' } },
  // Placeholders and durations in braces are text, not templates.
  vue: { template: { compilerOptions: { delimiters: ['[[[', ']]]'] } } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Quickstart', 'quickstart'),
          page('Browser client', 'browser-client'),
          page('Embedding', 'embedding'),
          page('How to add a sink kind', 'how-to-add-a-sink-kind'),
          page('How to add a store backend', 'how-to-add-a-store-backend'),
        ],
      },
      {
        text: 'Concepts',
        items: [
          page('Channels', 'channels'),
          page('Permissions', 'permissions'),
          page('Your backend’s credential', 'backend-credential'),
          page('Delivery', 'delivery'),
          page('Transports', 'transports'),
          page('Sinks', 'sinks'),
          page('Schemas', 'schemas'),
          page('Code generator', 'code-generator'),
          page('Limits', 'limits'),
        ],
      },
      {
        text: 'Operate',
        items: [
          page('Operations', 'operations'),
          page('Container', 'container'),
          page('Clustering', 'clustering'),
          page('Keys', 'keys'),
          page('Keys runbook', 'keys-runbook'),
          page('Sinks runbook', 'sinks-runbook'),
          page('Restarts', 'restarts'),
          page('Monitoring', 'monitoring'),
          page('Capacity', 'capacity'),
          page('Operator login', 'operator-login'),
          page('Troubleshooting', 'troubleshooting'),
        ],
      },
      {
        text: 'Coming from',
        items: [
          page('Centrifugo', 'migrating-from-centrifugo'),
          page('Socket.IO', 'migrating-from-socket-io'),
          page('Pusher', 'migrating-from-pusher'),
        ],
      },
      {
        text: 'Dashboards',
        items: [
          page('Documents', 'dash/documents'),
          page('Changesets', 'dash/changesets'),
          page('Stores', 'dash/stores'),
          page('dashdoc', 'dash/cli'),
          page('tools for a model', 'dash/mcp'),
          page('HTTP server', 'dash/server'),
          page('Messages by code', 'dash/troubleshooting'),
          page('Adding an item type', 'dash/how-to-add-an-item-type'),
        ],
      },
      {
        text: 'Contribute',
        items: [
          page('Glossary', 'glossary'),
          page('Debugging', 'debugging'),
          page('Decisions', 'decisions/'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Configuration', 'configuration'),
          page('Command line', 'cli'),
          page('JSON RPC', 'rpc'),
          page('Conformance', 'conformance'),
          page('Not supported', 'not-supported'),
          page('Dependencies', 'dependencies'),
        ],
      },
    ],
  },
});
