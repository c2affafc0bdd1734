using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Weir.Generator.Diagnostics;
using Weir.Generator.Tests.Driving;
using Weir.Generator.Tests.Guide;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>Every build error has a page; its first example is the error, its second is none.</summary>
public sealed partial class PageTests
{
    private const string CallOfGenerated = "WEIR1022";
    private const string ClientMissing = "WEIR3030";
    private const string ChangeOfContract = "WEIR1053";
    private const string Head = "using System.IO; using System.Text.Json.Serialization; using Microsoft.Extensions.DependencyInjection; using Weir;\n";

    // What is wrong with a whole program, and how it is published.
    private static readonly Dictionary<string, IReadOnlyDictionary<string, string>> Published = new()
    {
        ["WEIR1026"] = new Dictionary<string, string> { ["build_property.PublishAot"] = "true" },
    };

    public static TheoryData<string> Codes { get; } = new(
        typeof(ServiceCatalog).Assembly.GetType("Weir.WeirCodes")!.GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => (string)field.GetRawConstantValue()!).Where(static code => code.StartsWith("WEIR1", StringComparison.Ordinal) || code == ClientMissing));

    [Theory]
    [MemberData(nameof(Codes))]
    public async Task A_build_error_has_a_page_whose_examples_are_true(string code)
    {
        var descriptor = Descriptors.Of(code);
        var page = Page(code);
        var examples = Example().Matches(page).Select(static match => match.Groups[1].Value).ToList();

        Assert.StartsWith($"# {code}: {descriptor.Title}\n", page, StringComparison.Ordinal);
        Assert.Equal($"https://github.com/weir-dotnet/weir/blob/main/docs/diagnostics/{code}.md", descriptor.HelpLinkUri);
        Assert.Equal(2, examples.Count);
        // The compiler reports a call of what the generator wrote as an error.
        var (wrong, right) = (Run(code, examples[0], page), Run(code, examples[1], page));
        var cancellationToken = TestContext.Current.CancellationToken;
        var found = code == CallOfGenerated ? wrong.Compiled : [.. wrong.Reported, .. await wrong.AnalyzedAsync(cancellationToken)];
        Assert.All(found.Select(static one => one.Id), one => Assert.Equal(code, one));
        Assert.NotEmpty(found);
        Assert.Empty(right.Reported);
        Assert.Empty(await right.AnalyzedAsync(cancellationToken));
        Assert.Empty(right.Compiled);
    }

    private static GeneratorOutput Run(string code, string example, string page)
    {
        if (Published.TryGetValue(code, out var properties))
        {
            return GuideTests.Run(example, properties);
        }

        var source = example.StartsWith("namespace", StringComparison.Ordinal) || example.Contains("[assembly: ", StringComparison.Ordinal) ? example : $"namespace Sample {{ {example} }}";
        return Driver.Run(code == ClientMissing
            ? Driver.Compilation("Some.Caller", OutputKind.DynamicallyLinkedLibrary, Driver.Client, "using System.Net.Http;\n" + Head + source)
            : code == CallOfGenerated
            ? Driver.Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Execution, $"using Weir; {source}")
            : Driver.Library(Head + source), baseline: code == ChangeOfContract ? Baseline().Match(page).Groups[1].Value : null);
    }

    private static string Page(string code)
    {
        using var reader = new StreamReader(typeof(PageTests).Assembly.GetManifestResourceStream(code)!);
        return reader.ReadToEnd();
    }

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Example();

    [GeneratedRegex("```json\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Baseline();
}
