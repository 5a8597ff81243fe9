// node --import: this process may open no socket and resolve no name; an attempt is told on stderr and fails.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const refuse = what => () => {
  process.stderr.write(`SOCKET ${what}\n`);
  throw new Error('this process may open no socket');
};

net.Socket.prototype.connect = refuse('connect');
net.Server.prototype.listen = refuse('listen');
dgram.Socket.prototype.send = refuse('send');
dgram.Socket.prototype.connect = refuse('connect');
for (const names of [dns, dns.promises]) {
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) names[name] = refuse(name);
}
syncBuiltinESMExports();
