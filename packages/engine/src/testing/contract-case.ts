/**
 * One promise of a contract. Framework-free: a test runner of any kind calls `holds` with a fresh subject; it
 * rejects with an assertion error when the promise is broken.
 */
export interface ContractCase<Subject> {
  /** The promise, in words; a name for the test. */
  readonly name: string;
  holds(subject: Subject): Promise<void>;
}
