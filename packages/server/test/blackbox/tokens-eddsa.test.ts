import { tokenSuite } from './token-suite.ts';

tokenSuite('EdDSA');
