using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What the generator writes about services for documents and tools.</summary>
public sealed class DescriptionTests
{
    private const string Source =
        """
        namespace Sample;

        public enum Tone { [System.Text.Json.Serialization.JsonStringEnumMemberName("kind")] Friendly = 1, Formal = 2, Polite = 2 }

        /// <summary>Greets.</summary>
        [Weir.Service]
        public interface IGreeter
        {
            /// <summary>
            ///   Says hello to a <see cref="T:Sample.Person"/>,
            ///   or <c>nothing</c>.
            /// </summary>
            /// <param name="name">The "name".</param>
            /// <returns>Never <see langword="null"/>.</returns>
            Task<string> Greet(string name, Tone tone = Tone.Friendly);

            /// <summary>Not <b>well-formed.</summary>
            IAsyncEnumerable<int> Count();
        }

        [Weir.Service]
        public sealed class Greeter : IGreeter
        {
            public Task<string> Greet(string name, Tone tone = Tone.Friendly) => Task.FromResult(name);

            public IAsyncEnumerable<int> Count() => throw new NotSupportedException();
        }
        """;

    /// <summary>Whether a project generates a documentation file decides how the compiler parses comments; the generator reads them all the same.</summary>
    [Theory]
    [InlineData(DocumentationMode.None)]
    [InlineData(DocumentationMode.Diagnose)]
    public void Comments_types_and_enums_are_described(DocumentationMode mode)
    {
        var parsed = CSharpSyntaxTree.ParseText(Source, Driver.ParseOptions.WithDocumentationMode(mode), "Sample.cs", System.Text.Encoding.UTF8);
        var output = Driver.Run(Driver.Library().AddSyntaxTrees(parsed));
        Assert.DoesNotContain(output.Compiled, static one => one.Severity == DiagnosticSeverity.Error);
        var text = string.Concat(output.Result.GeneratedSources.Select(static one => one.SourceText));
        Assert.Contains("Summary = \"Greets.\",", text, StringComparison.Ordinal);
        Assert.Contains("Summary = \"Says hello to a Person, or nothing.\",", text, StringComparison.Ordinal);
        Assert.Contains("[\"name\"] = \"The \\\"name\\\".\",", text, StringComparison.Ordinal);
        Assert.Contains("Returns = \"Never null.\",", text, StringComparison.Ordinal);
        Assert.Contains("Result = typeof(int[]),", text, StringComparison.Ordinal);
        Assert.Contains("Item = typeof(int),", text, StringComparison.Ordinal);
        Assert.Contains("new(typeof(global::Sample.Tone), new string[] { \"kind\", \"Formal\" }, false),", text, StringComparison.Ordinal);
        Assert.DoesNotContain("well-formed", text, StringComparison.Ordinal);
    }
}
