import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints the changes of the topic endorsement-changes, from the oldest to the newest, and ends. It needs kafka-clients and
 * avro on the class path.
 *
 * <p>java -cp 'libs/*' docs/examples/ReadChanges.java localhost:9092 endorsement-changes schemas/avro/endorsement-change.v*.avsc
 */
public class ReadChanges {
  public static void main(String[] args) throws Exception {
    String topic = args[1];
    // By the number of the version: as text, v10 comes before v2.
    List<String> files =
        Arrays.stream(args).skip(2).sorted(Comparator.comparingInt(ReadChanges::versionOf)).toList();
    Schema newest = parse(files.get(files.size() - 1));
    // A value names the schema that wrote it by its fingerprint; the decoder turns it into the newest one.
    BinaryMessageDecoder<GenericRecord> decoder = new BinaryMessageDecoder<>(GenericData.get(), newest);
    for (String file : files) decoder.addSchema(parse(file));

    Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "enable.auto.commit", false);
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream().map(p -> new TopicPartition(topic, p.partition())).toList();
      if (partitions.isEmpty()) throw new IllegalArgumentException("There is no topic " + topic);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      // No group is joined, so that no right to one is needed.
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          System.out.println(decoder.decode(record.value()));
        }
      }
    }
  }

  private static int versionOf(String file) {
    return Integer.parseInt(file.replaceFirst(".*\\.v(\\d+)\\.avsc$", "$1"));
  }

  private static Schema parse(String file) throws Exception {
    return new Schema.Parser().parse(Files.readString(Path.of(file)));
  }
}
