// From here on sockets cannot be transferred to threads, as on older versions of Node.js.
import { Socket } from 'node:net';
import { MessagePort } from 'node:worker_threads';

const { prototype } = MessagePort;
const { postMessage } = prototype;
prototype.postMessage = function (message, transferList = []) {
  if (!transferList.some(item => item instanceof Socket))
    return postMessage.call(this, message, transferList);
  throw Object.assign(new Error('the value cannot be transferred'), {
    code: 'ERR_INVALID_TRANSFER_OBJECT',
  });
};
