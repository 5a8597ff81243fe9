import { createServer } from 'node:http';
import express from 'express';
import { Server } from 'socket.io';

const orders = new Map([['7', { user: 'ada', status: 'ordered' }]]);
const userOf = request => /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
const mayRead = (request, id) => orders.has(id) && orders.get(id).user === userOf(request);

const app = express();
const server = createServer(app);
const io = new Server(server, { connectionStateRecovery: {} });
io.use((socket, next) => {
  const { order } = socket.handshake.auth;
  next(mayRead(socket.request, order) ? undefined : new Error('forbidden'));
});
io.on('connection', socket => socket.join(`order:${socket.handshake.auth.order}`));

app.get('/', (_, response) => response.sendFile('page.html', { root: import.meta.dirname }));
app.get('/orders/:id', (request, response) => {
  const { id } = request.params;
  if (!mayRead(request, id)) return response.sendStatus(403);
  response.json(orders.get(id));
});
// The shop's own: behind its login.
app.post('/orders/:id/:status', ({ params: { id, status } }, response) => {
  orders.get(id).status = status;
  io.to(`order:${id}`).emit('status', status);
  response.sendStatus(204);
});
server.listen(process.env.PORT ?? 3000);
