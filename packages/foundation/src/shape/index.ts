export {
  type Field,
  type Infer,
  type JsonSchema,
  type SchemaUse,
  ShapeError,
  type ShapeErrorDetails,
  type ShapeProblem,
  type UnknownMember,
} from './field.ts';
export { type Message, message, type Shape } from './message.ts';
export {
  type Member,
  type MemberSource,
  type Members,
  membersSchema,
  type ObjectOf,
  object,
  optional,
  readMembers,
  required,
} from './object.ts';
export {
  anyJson,
  decimal,
  flag,
  int32,
  int64,
  list,
  mapOf,
  nullable,
  text,
  textMap,
  textThat,
  uint64,
  unlessZero,
} from './values.ts';
