import { tokenSuite } from './token-suite.ts';

tokenSuite('RS256');
