/** A light userdata: the null of `cjson` is one. */
export class LuaPointer {
  readonly address: number = 0;
}
