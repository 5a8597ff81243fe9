export { CODE_ADVICE, type CodeAdvice } from './codes.ts';
export {
  remedyOf,
  SITUATIONS,
  type Situation,
  type SituationAdvice,
  type SituationName,
} from './situations.ts';
