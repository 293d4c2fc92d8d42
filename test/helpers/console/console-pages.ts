import { pages } from '../../../gateway/console/pages/index.ts';

/** Values of parameters in paths, by the part before them. */
export type PathValues = Readonly<Record<string, string | number>>;

/** The methods of pages at an address without parameters, in the order of the header Allow. */
export function methodsAt(address: string): string[] {
  const methods = pages
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(methods)].sort();
}

/**
 * The addresses of all pages of a method.
 *
 * @param values of the parameters, by the part of the path before them; others become 1
 */
export function addressesOf(method: 'GET' | 'POST', values: PathValues = {}): string[] {
  return pages.filter((page) => page.method === method).map(({ path }) => fillIn(path, values));
}

/** Whether a browser saves the answer of an address instead of showing it. */
export const isDownload = (address: string): boolean => address.endsWith('.csv');

/** A page's path with its parameters filled in. */
export function fillIn(path: string, values: PathValues = {}): string {
  const parts = path.split('/');
  return parts
    .map((part, at) => (/^\{\w+\}$/.test(part) ? (values[parts[at - 1] ?? ''] ?? 1) : part))
    .join('/');
}

/** A tag of a page, with its attributes as written. */
export interface Tag {
  name: string;
  attributes: Map<string, string>;
  /** The text up to the next tag. */
  text: string;
}

/** The tags of a rendered page, in which every quote of a value is escaped. */
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

/** The attributes of a page's inputs, in their order, by the address of their form. */
export function inputsOf(html: string, action: string): ReadonlyMap<string, string>[] {
  const [, form = ''] = html.split(`action="${action}"`);
  return tagsOf(form.split('</form>')[0] ?? '')
    .filter(({ name }) => name === 'input')
    .map(({ attributes }) => attributes);
}
