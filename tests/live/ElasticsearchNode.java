import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;

/** One node of Elasticsearch in the folder that is named, without the program that starts it in an installation. */
class ElasticsearchNode {
    public static void main(String[] args) throws Exception {
        System.setProperty("es.path.home", args[0]);
        LogConfigurator.configureESLogging();
        Path config = Path.of(args[0], "config");
        Settings settings = Settings.builder().put("path.home", args[0]).build();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> "one");
        LogConfigurator.configure(environment, true);
        new Node(environment).start();
        Thread.sleep(Long.MAX_VALUE);
    }
}
