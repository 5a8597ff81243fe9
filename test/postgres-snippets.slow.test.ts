// docs/postgres.md: what it says in Python, PHP, Go and with Prisma, with the drivers of their registries on a real PostgreSQL.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMsg } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, readPage } from './support/pages.ts';

const BLOCKS = blocksOf(readPage('docs/postgres.md'));
const snippet = (language: string): string => {
  const found = BLOCKS.filter(block => block.language === language);
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
};

/** A language with its driver. */
interface Language {
  readonly name: string;
  /** Why it cannot be run here; undefined: it can. */
  missing(): string | undefined;
  /** Writes the program of the page, fetches the driver; the command that pays an order, before address and id. */
  prepare(folder: string): readonly string[];
}

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

const PYTHON: Language = {
  name: 'Python, psycopg',
  missing: () => (works('python3', '-c', 'import ensurepip, venv') ? undefined : 'needs python3-venv'),
  prepare(folder) {
    const environment = join(folder, 'environment');
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
    const python = join(environment, 'bin/python');
    execFileSync(python, ['-m', 'pip', 'install', '-q', 'psycopg[binary]==3.2.13'], { stdio: 'pipe' });
    writeFileSync(join(folder, 'shop.py'), snippet('python'));
    const main = 'import sys, shop\nshop.pay(sys.argv[1], int(sys.argv[2]))\n';
    writeFileSync(join(folder, 'main.py'), main);
    return [python, 'main.py'];
  },
};

const PHP_MAIN = `require 'shop.php';
$at = parse_url($argv[1]);
$dsn = sprintf('pgsql:host=%s;port=%d;dbname=%s', $at['host'], $at['port'], substr($at['path'], 1));
pay(new PDO($dsn, $at['user'], $at['pass']), (int) $argv[2]);
`;

const PHP: Language = {
  name: 'PHP, PDO',
  missing: () =>
    works('php', '-r', 'exit((int) !extension_loaded("pdo_pgsql"));') ? undefined : 'needs php-pgsql',
  prepare(folder) {
    writeFileSync(join(folder, 'shop.php'), snippet('php'));
    writeFileSync(join(folder, 'main.php'), `<?php\n${PHP_MAIN}`);
    return ['php', 'main.php'];
  },
};

const GO_MAIN = `package main

import (
	"context"
	"database/sql"
	"log"
	"os"
	"strconv"

	"example.com/app/shop"
	_ "github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", os.Args[1]+"?sslmode=disable")
	if err != nil {
		log.Fatal(err)
	}
	order, _ := strconv.Atoi(os.Args[2])
	if err := shop.Pay(context.Background(), db, order); err != nil {
		log.Fatal(err)
	}
}
`;

const GO: Language = {
  name: 'Go, database/sql',
  missing: () => (works('go', 'version') ? undefined : 'needs golang-go'),
  prepare(folder) {
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop/shop.go'), snippet('go'));
    writeFileSync(join(folder, 'main.go'), GO_MAIN);
    writeFileSync(join(folder, 'go.mod'), 'module example.com/app\n\ngo 1.21\n');
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
    execFileSync('go', ['get', 'github.com/lib/pq@v1.10.9'], { cwd: folder, env, stdio: 'pipe' });
    execFileSync('go', ['build', '-o', 'pay', '.'], { cwd: folder, env, stdio: 'pipe' });
    return [join(folder, 'pay')];
  },
};

const PRISMA_SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "../generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  id     BigInt @id
  status String
  @@map("orders")
}
`;
const PRISMA_CONFIG = `export default { schema: 'prisma/schema.prisma', datasource: { url: 'postgres://127.0.0.1/none' } };
`;
const PRISMA_IMPORTS = `import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';
`;
const PRISMA_MAIN = `const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.argv[2] }) });
await pay(prisma, Number(process.argv[3]));
await prisma.$disconnect();
`;

const PRISMA: Language = {
  name: 'Node.js, Prisma',
  missing: () => undefined,
  prepare(folder) {
    const packages = ['prisma', '@prisma/client', '@prisma/adapter-pg'].map(name => `${name}@7.10.0`);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // Their install scripts fetch an engine, which the client and its generator do not need: any program stands for it.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
    const quiet = { cwd: folder, env, stdio: 'pipe' } as const;
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--loglevel=error', ...packages],
      quiet,
    );
    mkdirSync(join(folder, 'prisma'));
    writeFileSync(join(folder, 'prisma/schema.prisma'), PRISMA_SCHEMA);
    writeFileSync(join(folder, 'prisma.config.ts'), PRISMA_CONFIG);
    execFileSync(join(folder, 'node_modules/.bin/prisma'), ['generate'], quiet);
    const [program] = BLOCKS.filter(({ text }) => text.startsWith('export async function pay(prisma'));
    writeFileSync(join(folder, 'main.ts'), PRISMA_IMPORTS + (program?.text ?? '') + PRISMA_MAIN);
    return [process.execPath, 'main.ts'];
  },
};

function describedBy(language: Language) {
  const missing = language.missing();
  const title = missing === undefined ? language.name : `${language.name}, not run: ${missing}`;
  return [title, language, missing] as const;
}

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
  const address = `postgres://admin:${database.password}@127.0.0.1:${database.port}/shop`;
  const { code, stderr } = await runMsg(['outbox', 'migrate'], { env: { MSG_OUTBOX_POSTGRES_URL: address } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  database.addRole('app', [
    'GRANT USAGE ON SCHEMA msg TO app',
    'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA msg TO app',
    'CREATE TABLE orders (id bigint PRIMARY KEY, status text)',
    'GRANT ALL ON orders TO app',
  ]);
}, 120_000);
afterAll(() => database.stop());

describe.each([PYTHON, PHP, GO, PRISMA].map(describedBy))('%s', (_, language, missing) => {
  test.skipIf(missing !== undefined)(
    'publishes with the transaction, or changes nothing',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'msg-snippet-'));
      try {
        const [program = '', ...args] = language.prepare(folder);
        const address = `postgres://app:${database.password}@127.0.0.1:${database.port}/shop`;
        const pay = (order: number) =>
          spawnSync(program, [...args, address, String(order)], { cwd: folder, encoding: 'utf8' });
        const orders = () => database.sql('SELECT id, status FROM orders ORDER BY id');
        const rows = () => database.sql("SELECT channel, convert_from(data, 'UTF8')::jsonb FROM msg.outbox");
        database.sql(`DELETE FROM msg.outbox; DELETE FROM orders; INSERT INTO orders VALUES (7, 'new'), (8, 'new');
            UPDATE msg.outbox_state SET max_rows = 0`);
        const paid = pay(7);
        expect(paid.status, paid.stderr).toBe(0);
        expect([orders(), rows()]).toEqual(['7|paid\n8|new', 'public:shop.order.7|{"status": "paid"}']);
        database.sql('UPDATE msg.outbox_state SET max_rows = 1, counted_rows = 1');
        expect(pay(8).status).not.toBe(0);
        expect([orders(), rows()]).toEqual(['7|paid\n8|new', 'public:shop.order.7|{"status": "paid"}']);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    300_000,
  );
});
