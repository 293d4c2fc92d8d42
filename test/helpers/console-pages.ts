import { pages } from '../../gateway/console/pages/index.ts';

/** Values of parameters in paths, by what stands before them. */
export type PathValues = Readonly<Record<string, string | number>>;

/** The methods of each path of the console's pages, in the order of the header Allow. */
export function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of pages) {
    const known = methods.get(path) ?? new Set();
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) known.add(each);
    methods.set(path, known);
  }
  return new Map([...methods].map(([path, known]) => [path, [...known].sort()]));
}

/**
 * The addresses of all pages of a method.
 *
 * @param values of the parameters, by the part of the path before them; others become 1
 */
export function addressesOf(method: 'GET' | 'POST', values: PathValues = {}): string[] {
  return pages.filter((page) => page.method === method).map(({ path }) => fillIn(path, values));
}

/** A path of a page with its parameters filled in. */
export function fillIn(path: string, values: PathValues = {}): string {
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, before: string) => `${before}/${values[before] ?? 1}`);
}

/** A tag of a page, with its attributes as they are written. */
export interface Tag {
  name: string;
  attributes: Map<string, string>;
  /** The text up to the next tag. */
  text: string;
}

/** The tags of a page that the service has rendered, in which every quote of a value is escaped. */
export function tagsOf(html: string): Tag[] {
  return [...html.matchAll(/<([a-z][\w-]*)((?:[^">]|"[^"]*")*)>([^<]*)/gi)].map(
    ([, name = '', attributes = '', text = '']) => ({
      name: name.toLowerCase(),
      attributes: new Map(
        [...attributes.matchAll(/([^\s=/"]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
          key.toLowerCase(),
          value,
        ]),
      ),
      text,
    }),
  );
}
