import { tokenSuite } from './token-suite.ts';

tokenSuite('ES256');
