// Socket.IO with default settings, WebSocket alone: clients join a room, and what is published goes to its members.
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const server = createServer();
const io = new Server(server, { transports: ['websocket'] });
io.on('connection', socket => {
  socket.on('join', room => {
    socket.join(room);
    socket.emit('joined');
  });
  socket.on('publish', (room, data) => io.to(room).emit('publication', data));
});
server.listen(0, '127.0.0.1', 4096, () =>
  console.error(JSON.stringify({ addr: `127.0.0.1:${server.address().port}` })),
);
