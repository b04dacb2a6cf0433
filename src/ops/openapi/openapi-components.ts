/**
 * Replaces equal parts of the document with references to one component. If parts with the same name differ, the most
 * frequent variant gets the name, and the others get the name passed as `alternative`.
 */
export class SharedComponents<T extends object> {
  readonly components: Record<string, T> = {};
  private readonly uses = new Map<string, Map<string, number>>();

  constructor(
    private readonly section: 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas',
    private readonly minimumUses = 2,
  ) {}

  /** Counts one use of a part. Must be called for all uses before `share` is called. */
  count(name: string, value: T): void {
    const variants = this.uses.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(value);
    this.uses.set(name, variants.set(text, (variants.get(text) ?? 0) + 1));
  }

  /**
   * Returns a reference to the component. Returns the value itself if it has too few uses, its name is taken, or, for a
   * schema, references would take more space than copies.
   */
  share(name: string, alternative: string, value: T): T {
    const text = JSON.stringify(value);
    const variants = this.uses.get(name)!;
    const uses = variants.get(text)!;
    const [first] = [...variants].reduce((most, one) => (one[1] > most[1] ? one : most));
    const component = this.findName(text) ?? kebabToPascalCase(text === first ? name : alternative);
    if (uses < this.minimumUses) return value;
    if (JSON.stringify(this.components[component] ?? value) !== text) return value;
    const reference = { $ref: `#/components/${this.section}/${component}` };
    if (this.section === 'schemas' && !savesSpace(text, uses, JSON.stringify(reference))) return value;
    this.components[component] = value;
    return reference as unknown as T;
  }

  private findName(text: string): string | undefined {
    return Object.keys(this.components).find((name) => JSON.stringify(this.components[name]) === text);
  }
}

/**
 * Returns whether references to a component take less space than copies.
 *
 * @param uses the number of places that contain the value
 */
function savesSpace(text: string, uses: number, reference: string): boolean {
  return uses * (text.length - reference.length) > text.length + reference.length;
}

export function kebabToPascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-zA-Z])/gi, (_, letter: string) => letter.toUpperCase());
}
