export { systemClock as clock } from '@msg/foundation/clock';
