import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Java's client behind the protocol of test/helpers/kafka/outside-client.ts. Arguments: the brokers and the topic. */
public class JavaProducer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, KafkaProducer<byte[], byte[]>> PRODUCERS = new HashMap<>();

  public static void main(String[] args) throws Exception {
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      JsonNode request = JSON.readTree(line);
      ObjectNode answer = JSON.createObjectNode().put("id", request.get("id").asInt());
      try {
        serve(request, answer, args[0], args[1]);
      } catch (Exception error) {
        answer.put("error", error.toString());
      }
      System.out.println(answer);
    }
    // Leaves open producers as a crash would.
    Runtime.getRuntime().halt(0);
  }

  private static void serve(JsonNode request, ObjectNode answer, String brokers, String topic)
      throws Exception {
    String name = request.get("producer").asText();
    KafkaProducer<byte[], byte[]> producer = PRODUCERS.get(name);
    switch (request.get("method").asText()) {
      case "open" -> PRODUCERS.put(name, open(request, brokers));
      case "send" -> answer.set("places", send(producer, topic, request.get("records")));
      case "begin" -> producer.beginTransaction();
      case "commit" -> producer.commitTransaction();
      case "abort" -> producer.abortTransaction();
      case "close" -> PRODUCERS.remove(name).close();
      default -> throw new IllegalArgumentException("unknown method");
    }
  }

  private static KafkaProducer<byte[], byte[]> open(JsonNode settings, String brokers) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", brokers);
    config.put("acks", "all");
    config.put("linger.ms", 20);
    config.put("batch.size", 900_000);
    config.put("max.request.size", 1_048_600);
    config.put("compression.type", settings.path("codec").asText("none"));
    config.put("enable.idempotence", settings.path("idempotent").asBoolean(false));
    boolean isTransactional = settings.has("transactionalId");
    if (isTransactional) {
      config.put("transactional.id", settings.get("transactionalId").asText());
      config.put("enable.idempotence", true);
    }
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    if (isTransactional) producer.initTransactions();
    return producer;
  }

  private static ArrayNode send(
      KafkaProducer<byte[], byte[]> producer, String topic, JsonNode records) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (JsonNode record : records) {
      Long timestamp = record.has("timestamp") ? record.get("timestamp").asLong() : null;
      ProducerRecord<byte[], byte[]> message =
          new ProducerRecord<>(
              topic,
              record.get("partition").asInt(),
              timestamp,
              record.get("key").binaryValue(),
              record.get("value").binaryValue());
      JsonNode headers = record.path("headers");
      for (Iterator<String> names = headers.fieldNames(); names.hasNext(); ) {
        String header = names.next();
        message.headers().add(header, headers.get(header).asText().getBytes(StandardCharsets.UTF_8));
      }
      sent.add(producer.send(message));
    }
    producer.flush();
    ArrayNode places = JSON.createArrayNode();
    for (Future<RecordMetadata> future : sent) {
      RecordMetadata metadata = future.get();
      places.add(JSON.createArrayNode().add(metadata.partition()).add(metadata.offset()));
    }
    return places;
  }
}
