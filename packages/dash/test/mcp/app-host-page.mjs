// A page of a host, with the official bridge. It runs in Chromium; the test gives it `callServerTool` and reads `host`.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const host = { opened: [], messages: [], sizes: [], refuses: false };
globalThis.host = host;

/** Shows an app as hosts do: in a frame without an origin of its own. Settles when the app has introduced itself. */
host.show = async ({ html, capabilities, context }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'app';
  frame.srcdoc = html;
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, { hostContext: context });
  const answer = () => (host.refuses ? { isError: true } : {});
  bridge.onopenlink = async ({ url }) => {
    host.opened.push(url);
    return answer();
  };
  bridge.onmessage = async message => {
    host.messages.push(message);
    return answer();
  };
  if (capabilities.serverTools !== undefined) bridge.oncalltool = params => globalThis.callServerTool(params);
  bridge.addEventListener('sizechange', size => {
    host.sizes.push(size);
    frame.style.height = `${size.height}px`;
  });
  const ready = new Promise(resolve => bridge.addEventListener('initialized', resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await ready;
  host.bridge = bridge;
};
