export { type BodyBound, readBody } from './body.ts';
export { addressOf, hostName, isLoopbackAddress, isLoopbackName } from './host.ts';
export { isSameHost, isSameHostname } from './origin.ts';
