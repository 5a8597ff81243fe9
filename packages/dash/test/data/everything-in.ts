import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';

interface Private {
  readonly privateProperties?: readonly Runtime.PropertyDescriptor[];
}

/**
 * Every text inside a value, private fields of its classes and entries of its maps included.
 * @param except names of properties that are left out.
 */
export async function everythingIn(value: object, except: readonly string[] = []): Promise<string> {
  const session = new Session();
  session.connect();
  const name = '__everythingIn';
  Object.assign(globalThis, { [name]: value });
  try {
    const { result } = await session.post('Runtime.evaluate', { expression: name });
    const waiting = [result.objectId];
    const texts: string[] = [];
    for (let count = 0; waiting.length > 0 && count < 100_000; count++) {
      const objectId = waiting.pop();
      if (objectId === undefined) continue;
      // The declarations leave out the private fields that the protocol answers.
      const answer: Runtime.GetPropertiesReturnType & Private = await session.post('Runtime.getProperties', {
        objectId,
        ownProperties: true,
      });
      const own = [...answer.result, ...(answer.privateProperties ?? [])];
      const inner = (answer.internalProperties ?? []).filter(({ name: slot }) => slot === '[[Entries]]');
      for (const property of [...own, ...inner]) {
        if (except.includes(property.name)) continue;
        texts.push(property.name);
        const held = property.value;
        if (held?.type === 'string') texts.push(String(held.value));
        else if (held?.type === 'object' && property.name !== '__proto__') waiting.push(held.objectId);
      }
    }
    return texts.join('\n');
  } finally {
    Reflect.deleteProperty(globalThis, name);
    session.disconnect();
  }
}
