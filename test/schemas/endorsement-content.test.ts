import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { hashContent, renderContent } from '../../schemas/endorsement-content.ts';
import { change } from '../helpers/properties/arbitraries.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

test('the content is the canonical JSON of the fields that the list and the events have in common', () => {
  fc.assert(
    fc.property(change, ({ endorsement, endorser, contest, election, choice }) => {
      const { vote_method: _m, votes_allowed: _v, ranks_allowed: _r, measure_code: _c, ...listed } = contest;
      const { withdrawn: _w, ...listedChoice } = choice;
      const content = { ...endorsement, endorser, contest: listed, election, choice: listedChoice };
      expect(renderContent({ endorsement, endorser, contest, election, choice })).toBe(canonicalize(content));
    }),
  );
});

test('the hash is the SHA-256 of the UTF-8 of the content', () => {
  const body = { ...CHANGE_BODY, endorsement: { ...CHANGE_BODY.endorsement, statement: 'Sí, "¡señora!"' } };
  expect(renderContent(body)).toBe(
    '{"choice":{"candidate":null,"id":1,"label":"Ann","measure_answer":null,"party":null},' +
      '"contest":{"district":{"id":1,"level":"city","name":"Portland","ocd_id":null,"state":"OR"},"id":1,' +
      '"kind":"candidate","short_title":"Mayor","title":"Mayor"},' +
      '"election":{"date":"2026-11-03","id":1,"name":"Election","slug":"or-1","state":"OR","type":"general"},' +
      '"endorser":{"category":{"name":"Labor union","slug":"labor"},"id":1,"name":"Acme","slug":"acme","state":"OR"},' +
      '"id":1,"published_on":null,"rank":null,"source_url":null,"statement":"Sí, \\"¡señora!\\""}',
  );
  expect(hashContent(body).toString(16)).toBe(
    'aca23210cfa53e5883166e5f5a4cb8e613ec14ba2064eaa4c8dc5599380c8db8',
  );
});

test('a field that events gain does not change the content', () => {
  const gained = { ...CHANGE_BODY, election: { ...CHANGE_BODY.election, gained: 'yes' } };
  expect(renderContent(gained)).toBe(renderContent({ ...CHANGE_BODY }));
});
