using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Snapshot;

/// <summary>Shows what the generator writes, and every change of it, as text.</summary>
public sealed class SnapshotTests
{
    private const string ExpectedFile = "tests/Weir.Generator.Tests/Snapshot/Expected.txt";

    private const string Source =
        """
        namespace Sample;

        public enum Tone { Friendly, Formal }

        public sealed record Greeting(string Text, Tone Tone, string? Language = null);

        [Weir.Service]
        public sealed class Greeter
        {
            [Weir.Get]
            public Greeting Greet(string name, Tone tone = Tone.Friendly) => new($"Hello {name}", tone);

            [Weir.Isolated("greetings")]
            public async System.Collections.Generic.IAsyncEnumerable<Greeting> GreetAll(string[] names)
            {
                foreach (var name in names)
                {
                    await System.Threading.Tasks.Task.Yield();
                    yield return new(name, Tone.Formal);
                }
            }
        }
        """;

    [Fact]
    public void Generated_code_is_the_committed_text()
    {
        var output = Driver.Run(Driver.Library(Source));
        Assert.Empty(output.Reported);
        Assert.DoesNotContain(output.Compiled, static one => one.Severity == Microsoft.CodeAnalysis.DiagnosticSeverity.Error);
        var actual = string.Concat(output.Result.GeneratedSources
            .Where(static one => !one.HintName.StartsWith("Microsoft", StringComparison.Ordinal))
            .OrderBy(static one => one.HintName, StringComparer.Ordinal)
            .Select(static one => $"======== {one.HintName}\n{one.SourceText}\n"));
        using var reader = new StreamReader(typeof(SnapshotTests).Assembly.GetManifestResourceStream("Expected.txt")!);
        if (actual != reader.ReadToEnd())
        {
            var file = Path.Combine(AppContext.BaseDirectory, "Actual.txt");
            File.WriteAllText(file, actual);
            Assert.Fail($"The generated code has changed. Compare it with the committed text: git diff --no-index {ExpectedFile} {file}\nIf the change is intended, renew the committed text: cp {file} {ExpectedFile}");
        }
    }
}
