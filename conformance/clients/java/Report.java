import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs JUnit tests and writes one JSON line per test to the file named first. Then come the classes, separated by
 * commas, and the names of tests that are left out.
 */
public final class Report extends RunListener {
    private final PrintWriter out;
    private final Map<String, String> details = new LinkedHashMap<>();

    private Report(PrintWriter out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        String[] names = args[1].split(",");
        Class<?>[] classes = new Class<?>[names.length];
        for (int i = 0; i < names.length; i++) classes[i] = Class.forName(names[i]);
        Set<String> leftOut = new HashSet<>(Arrays.asList(args).subList(2, args.length));
        Set<String> found = new HashSet<>();
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Paths.get(args[0]), StandardCharsets.UTF_8))) {
            Report report = new Report(out);
            JUnitCore core = new JUnitCore();
            core.addListener(report);
            core.run(Request.classes(classes).filterWith(new Filter() {
                @Override
                public boolean shouldRun(Description test) {
                    if (!test.isTest()) return true;
                    found.add(nameOf(test));
                    return !leftOut.contains(nameOf(test));
                }

                @Override
                public String describe() {
                    return "tests in scope";
                }
            }));
            leftOut.removeAll(found);
            for (String name : leftOut) report.write(name, "named as out of scope, but not there");
        }
        // HTTP clients keep threads.
        System.exit(0);
    }

    static String nameOf(Description test) {
        String type = test.getClassName();
        return type.substring(type.lastIndexOf('.') + 1) + "." + test.getMethodName();
    }

    @Override
    public void testFailure(Failure failure) {
        details.merge(nameOf(failure.getDescription()), failure.getTrace(), String::concat);
        // The set-up of a class has no end of its own.
        if (!failure.getDescription().isTest()) testFinished(failure.getDescription());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        testFailure(failure);
    }

    @Override
    public void testIgnored(Description test) {
        write(nameOf(test), "skipped");
    }

    @Override
    public void testFinished(Description test) {
        String detail = details.remove(nameOf(test));
        write(nameOf(test), detail == null ? "" : detail);
    }

    private void write(String name, String detail) {
        String outcome = detail.isEmpty() ? "passed" : "failed";
        out.printf("{\"name\":%s,\"outcome\":\"%s\",\"detail\":%s}%n", quote(name), outcome, quote(detail));
        out.flush();
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
