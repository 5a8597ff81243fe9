import { tokenSuite } from './token-suite.ts';

tokenSuite('HS256');
