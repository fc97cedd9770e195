import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/** Solr in the folder that is named, on the port that is named. */
class SolrNode {
    public static void main(String[] args) throws Exception {
        JettyConfig config = JettyConfig.builder().setPort(Integer.parseInt(args[1])).setContext("/solr").build();
        new JettySolrRunner(args[0], config).start();
        Thread.sleep(Long.MAX_VALUE);
    }
}
