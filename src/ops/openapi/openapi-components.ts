/**
 * Finds equal parts of the document and replaces them with references to one component. If parts with the same name
 * differ, the most frequent variant gets the name, and the other variants get the name with a number.
 */
export class SharedComponents<T extends object> {
  readonly components: Record<string, T> = {};
  private readonly uses = new Map<string, Map<string, number>>();
  private readonly names = new Map<string, string>();

  /** @param isFree whether a component may have the name */
  constructor(
    private readonly section: 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas',
    private readonly isFree: (name: string) => boolean = () => true,
  ) {}

  /** Counts one use of a part. Must be called for all uses before `share` is called. */
  count(name: string, value: T): void {
    const variants = this.uses.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(value);
    this.uses.set(name, variants.set(text, (variants.get(text) ?? 0) + 1));
  }

  /**
   * Returns a reference to the component. Returns the value itself if it has one use, or if references would take more
   * space than copies.
   */
  share(name: string, value: T): T {
    const text = JSON.stringify(value);
    const variants = this.uses.get(name)!;
    const uses = variants.get(text)!;
    if (uses < 2) return value;
    const isFrequent = [...variants.values()].every((count) => count <= uses);
    const component = this.names.get(text) ?? this.findFreeName(name, isFrequent);
    const reference = { $ref: `#/components/${this.section}/${component}` };
    if (uses * text.length <= text.length + component.length + uses * JSON.stringify(reference).length) return value;
    this.names.set(text, component);
    this.components[component] = value;
    return reference as unknown as T;
  }

  /** Returns a free name. Only the most frequent variant may have the name without a number. */
  private findFreeName(name: string, isFrequent: boolean): string {
    const base = kebabToPascalCase(name);
    const isUnused = (one: string) => this.components[one] === undefined && this.isFree(one);
    if (isFrequent && isUnused(base)) return base;
    for (let number = 2; ; number += 1) if (isUnused(`${base}${number}`)) return `${base}${number}`;
  }
}

function kebabToPascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-zA-Z])/gi, (_, letter: string) => letter.toUpperCase());
}
