import { expect, it } from 'vitest';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import { CODE_TABLE } from '#src/errors.ts';
import { askOne, type ConnectionRow, rowsOf, sourcesOf } from './asked.ts';
import { CONNECTIONS_PAGE, TYPE_SECTIONS } from './connections-page.ts';
import { MisbehavingServer } from './misbehaving-server.ts';

/** Examples of connections.md whose system is an HTTP server; those of real databases are run by tests of their own. */
const examples = TYPE_SECTIONS.filter(({ name }) => name === 'http' || name === 'prometheus');
/** A span around the samples of the examples. */
const window = { from: Date.UTC(2026, 0, 2, 3), to: Date.UTC(2026, 0, 2, 3, 1) };

it.each(examples)('the example of $name gives the rows that the page shows', async ({ name, blocks }) => {
  const [connection, answer, rows] = blocks as [ConnectionRow, object, object[]];
  const server = await MisbehavingServer.start(
    Object.fromEntries(
      ['/api/regions', '/api/v1/query_range'].map(path => [
        path,
        response => response.end(JSON.stringify(answer)),
      ]),
    ),
  );
  try {
    const url = String(connection.config['url']).replace(/http:\/\/127\.0\.0\.1:\d+/, server.url);
    const [secret = ''] = /(?<="\$secret":")\w+/.exec(JSON.stringify(connection)) ?? [];
    const environment = { [secret]: 'hunter22' };
    const sources = sourcesOf({ allow: [`${server.url}=${secret}`], environment });
    const asked = { type: connection.type, config: { ...connection.config, url } };
    const query = name === 'prometheus' ? { expr: 'up', step: '15s' } : undefined;
    expect(rowsOf(await askOne(sources, asked, query, { window, environment }))).toEqual(rows);
    expect(server.headers[0]).toMatchObject({ authorization: 'Bearer hunter22' });
  } finally {
    await server.stop();
  }
});

it('has an example of each type that dials, and every code of a query', () => {
  const dialling = DATA_SOURCE_KINDS.filter(({ addressOf }) => addressOf !== undefined).map(
    ({ type }) => type,
  );
  expect(TYPE_SECTIONS.map(({ name }) => name)).toEqual(dialling);
  for (const code of Object.keys(CODE_TABLE).filter(code => code.startsWith('QUERY_')))
    expect(CONNECTIONS_PAGE).toContain(`\`${code}\``);
});
