import { expect, test } from '@jest/globals';
import avro from 'avsc';
import { AvroToJson, compileJsonWriter, type JsonSchema } from '../../schemas/avro-json.ts';

test('a captured string that is null has no text, although the value before had one', () => {
  const schema = {
    type: 'record',
    name: 'Place',
    fields: [{ name: 'level', type: ['null', 'string'] }],
  } as const satisfies JsonSchema;
  const type = avro.Type.forSchema(schema as unknown as avro.Schema, { wrapUnions: 'never' });
  const write = compileJsonWriter(schema, ['level']);
  const io = new AvroToJson(Buffer.alloc(1000), 1);
  const texts = ['federal', null, 'city'].map((level) => {
    io.readFrom(type.toBuffer({ level }), 0);
    write(io);
    return io.textOf(0);
  });
  expect(texts).toEqual(['federal', '', 'city']);
  expect(io.target.toString('utf8', 0, io.end)).toBe('{"level":"federal"}{"level":null}{"level":"city"}');
});
