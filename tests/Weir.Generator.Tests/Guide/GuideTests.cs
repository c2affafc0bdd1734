using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Guide;

/// <summary>
/// Every <c>csharp</c> block of the guide and of the README is a file of an application: it compiles as it is printed, with what the SDK for
/// web applications imports by itself. A block marked <c>cs</c> is a part of a file and is not compiled.
/// </summary>
public sealed partial class GuideTests
{
    private const string Folder = "guide/";

    // What a project with the SDK for web applications and ImplicitUsings imports.
    private static readonly string Usings = string.Concat(((string[])
        [
            "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Net.Http.Json", "System.Threading", "System.Threading.Tasks",
            "Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Routing",
            "Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection", "Microsoft.Extensions.Hosting", "Microsoft.Extensions.Logging",
        ]).Select(static name => $"global using global::{name};\n"));

    private static readonly MetadataReference[] References =
    [
        .. from path in ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
           let name = Path.GetFileName(path)
           where name is "mscorlib.dll" or "netstandard.dll" or "Npgsql.dll"
               || name.StartsWith("System.", StringComparison.Ordinal)
               || name.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal)
               || name.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal)
               || (name.StartsWith("Weir.", StringComparison.Ordinal) && !name.StartsWith("Weir.Generator", StringComparison.Ordinal))
           select MetadataReference.CreateFromFile(path),
    ];

    /// <summary>The page, and which of its blocks.</summary>
    public static TheoryData<string, int> Blocks { get; } = new(
        from page in Pages()
        from index in Enumerable.Range(0, Whole().Count(Text(page)))
        select (page, index));

    [Theory]
    [MemberData(nameof(Blocks))]
    public void A_block_compiles_as_it_is_printed(string page, int index) =>
        Assert.Empty(Errors(Whole().Matches(Text(page))[index].Groups["code"].Value));

    [Fact]
    public async Task The_example_of_the_JSON_form_answers_what_its_page_shows()
    {
        var page = Text("json.md");
        var shown = Exchange().Match(page);
        var served = Served.From(Whole().Match(page).Groups["code"].Value);

        Assert.Equal(shown.Groups["answer"].Value, await served.Respond("Orders/Place", $$"""{"order":{{shown.Groups["body"].Value}}}"""));
    }

    [Fact]
    public void The_guide_and_the_README_are_read()
    {
        Assert.Contains(Blocks, static block => block.Data is ("README.md", 0));
        Assert.Contains(Blocks, static block => block.Data.Item1 == "pools.md");
    }

    [Theory]
    [InlineData("builder.Services.AddWeir(); app.MapWeir();")]
    [InlineData("using Weir;\n\n[Service] public sealed class Greeter { public string Hello() => \"\"; }")]
    [InlineData("var app = WebApplication.CreateBuilder(args).Build();\napp.Run();")]
    public void A_block_may_be_a_program_a_file_of_types_or_lines_of_a_program(string block) => Assert.Empty(Errors(block));

    [Theory]
    [InlineData("app.MapWeird();", "CS1061")]
    [InlineData("[Service] public sealed class Greeter;", "CS0246")]
    [InlineData("using Weir;\n[Service] public sealed class Greeter { public void Hello(Action name) { } }", "WEIR1001")]
    public void A_block_that_does_not_compile_is_found(string block, string error) =>
        Assert.Contains(Errors(block), one => one.Contains(error, StringComparison.Ordinal));

    /// <summary>Compiles a block as a file of an application.</summary>
    internal static GeneratorOutput Run(string block, IReadOnlyDictionary<string, string>? properties = null)
    {
        var root = CSharpSyntaxTree.ParseText(block, Driver.ParseOptions).GetCompilationUnitRoot();
        var compilation = CSharpCompilation.Create(
            "Guide",
            ((string[])[Usings, Completed(block, root)]).Select(static (source, index) => CSharpSyntaxTree.ParseText(source, Driver.ParseOptions, $"Source{index}.cs", Encoding.UTF8)),
            References,
            new CSharpCompilationOptions(
                root.Members.Any(static member => member is GlobalStatementSyntax) ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
                nullableContextOptions: NullableContextOptions.Enable, concurrentBuild: false, specificDiagnosticOptions: Driver.Suppressed));
        return Driver.Run(compilation, properties);
    }

    /// <summary>What the compiler or the generator says of a block, warnings included.</summary>
    private static IEnumerable<string> Errors(string block)
    {
        var output = Run(block);
        return output.Reported.Concat(output.Compiled).Select(static one => one.ToString());
    }

    // Lines of a program may use the builder and the application that stand in every Program.cs.
    private static string Completed(string block, CompilationUnitSyntax root)
    {
        var declared = root.DescendantNodes().OfType<VariableDeclaratorSyntax>().Select(static one => one.Identifier.ValueText).ToHashSet();
        var used = root.DescendantNodes().OfType<IdentifierNameSyntax>().Select(static one => one.Identifier.ValueText).ToHashSet();
        var usesApp = used.Contains("app") && !declared.Contains("app");
        var head = new StringBuilder();
        if ((usesApp || used.Contains("builder")) && !declared.Contains("builder"))
        {
            head.Append("var builder = WebApplication.CreateBuilder(args);\n");
        }

        if (usesApp)
        {
            head.Append("var app = builder.Build();\n");
        }

        return block.Insert(root.Usings.Count > 0 ? root.Usings.Last().FullSpan.End : 0, head.ToString());
    }

    private static IEnumerable<string> Pages() =>
        typeof(GuideTests).Assembly.GetManifestResourceNames().Where(static name => name.StartsWith(Folder, StringComparison.Ordinal)).Select(static name => name[Folder.Length..]).Order(StringComparer.Ordinal);

    internal static string Text(string page)
    {
        using var reader = new StreamReader(typeof(GuideTests).Assembly.GetManifestResourceStream(Folder + page)!);
        return reader.ReadToEnd();
    }

    [GeneratedRegex("^```csharp\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Whole();

    [GeneratedRegex(@"-d '(?<body>[^']+)'.*\n(?<answer>.+)")]
    private static partial Regex Exchange();
}
