using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

public sealed partial class DocumentationTests
{
    private const string JobsVariable = "$jobs";

    private static readonly Page[] Pages = [.. Repository.Files("", "*.md").Select(path => new Page(path, Repository.Read(path)))];

    [Fact]
    public void Every_link_has_a_target() =>
        Expect.NoFault(
            from page in Pages
            from link in page.Links
            where !Repository.Exists(link)
            select $"{page.Path}: links to {link}, which does not exist");

    [Fact]
    public void Every_link_to_a_heading_has_that_heading()
    {
        var anchors = Pages.ToDictionary(static page => page.Path, static page => page.Anchors);
        Expect.NoFault(
            from page in Pages
            from link in page.AnchorLinks
            where !anchors.TryGetValue(link.Page, out var there) || !there.Contains(link.Anchor)
            // The page that GitHub shows of the repository has its README below this anchor.
            where link != ("README.md", "readme")
            select $"{page.Path}: links to {link.Page}#{link.Anchor}, which has no such heading");
    }

    [Fact]
    public void Every_page_that_code_names_exists() =>
        Expect.NoFault(
            from source in Repository.Sources
            from Match match in PageName().Matches(source.Text)
            where !Repository.Exists(match.Value)
            select $"{source.Path}: names {match.Value}, which does not exist");

    [Fact]
    public void Each_step_of_an_isolated_call_is_repeated_in_a_file_that_its_row_names()
    {
        var rows = StepRow().Matches(Repository.Read("docs/architecture.md")).ToList();
        Assert.Equal(Enumerable.Range(1, 9).Select(static step => $"{step}"), rows.Select(static row => row.Groups[1].Value));
        var steps = Repository.Sources.SelectMany(static source => StepComment().Matches(source.Text).Select(match => (Step: match.Groups[1].Value, File: Path.GetFileNameWithoutExtension(source.Path)))).ToList();
        Assert.Equal(rows.Count, steps.Count);
        Assert.All(steps, step => Assert.Contains($"`{step.File}`", rows.Single(row => row.Groups[1].Value == step.Step).Value, StringComparison.Ordinal));
    }

    [Fact]
    public void Every_path_that_is_named_exists() =>
        Expect.NoFault(
            from page in Pages
            from path in page.NamedPaths
            where !Repository.Exists(path)
            select $"{page.Path}: names {path}, which does not exist");

    [Fact]
    public void Every_test_that_a_page_links_is_in_its_file() =>
        Expect.NoFault(
            from page in Pages
            from test in page.NamedTests
            where !Repository.Exists(test.File) || !Declares(test.File, test.Name)
            select $"{page.Path}: links {test.Name}, which is not in {test.File}");

    [Fact]
    public void Every_quotation_of_a_sample_is_in_its_file() =>
        Expect.NoFault(
            from page in Pages
            from quotation in page.Quotations
            where !Repository.Exists(quotation.File) || !Repository.Read(quotation.File).Contains(quotation.Code, StringComparison.Ordinal)
            select $"{page.Path}: quotes {quotation.File}, which does not have these lines:\n{quotation.Code}");

    [Fact]
    public void Every_comment_that_names_a_sample_is_above_its_quotation() =>
        Expect.NoFault(
            from page in Pages
            let comments = page.Text.Split("<!-- sample:").Length - 1
            where comments != page.Quotations.Count()
            select $"{page.Path}: has {comments} comments '<!-- sample: … -->', of which {page.Quotations.Count()} are directly above a block of code");

    [Fact]
    public void Every_sample_is_quoted_by_the_guide_with_a_link()
    {
        var guide = Pages.Where(static page => page.Path.StartsWith("docs/guide/", StringComparison.Ordinal)).ToArray();

        // The showcase is a fixture, with a page of its own.
        var samples = Repository.Files("samples", "Program.cs").Select(SampleOf).Where(static sample => sample != "samples/Showcase").ToArray();
        Assert.NotEmpty(samples);
        Expect.NoFault(
            from sample in samples
            where !guide.Any(page => page.Quotations.Any(quotation => SampleOf(quotation.File) == sample) && page.Links.Any(link => SampleOf(link) == sample))
            select $"{sample}: no page of the guide quotes it and links to it");
    }

    // The address of jobs begins with it. As a variable of the shell it is empty, and the request goes to another path.
    [Fact]
    public void No_command_of_a_page_or_a_sample_has_the_address_of_jobs_outside_of_single_quotation_marks()
    {
        var lines = Pages.SelectMany(static page => page.ShellLines.Select(line => (page.Path, Line: line)))
            .Concat(Repository.Files("", "*.sh").SelectMany(static path => Shell.LinesOf("sh", Repository.Read(path)).Select(line => (Path: path, Line: line))))
            .Concat(Repository.Files("samples", "*.cs").SelectMany(static path => Repository.Read(path).Split('\n').Select(Shell.CommandIn).OfType<string>().Select(line => (Path: path, Line: line))))
            .Where(static one => one.Line.Contains(JobsVariable, StringComparison.Ordinal)).ToArray();
        Assert.NotEmpty(lines);
        Expect.NoFault(
            from one in lines
            where Shell.Expands(one.Line, JobsVariable)
            select $"{one.Path}: a shell loses {JobsVariable} of: {one.Line}");
    }

    [Theory]
    [InlineData("curl 'http://localhost/$jobs/1'", false)]
    [InlineData("curl http://localhost/$jobs/1", true)]
    [InlineData("curl \"http://localhost/$jobs/1\"", true)]
    [InlineData("curl \"http://localhost/\\$jobs/1\"", false)]
    [InlineData("curl -d '{}' http://localhost/$jobs/1", true)]
    [InlineData("curl -d \"it's\" http://localhost/$jobs/1", true)]
    [InlineData("curl -d \"it's\" 'http://localhost/$jobs/1'", false)]
    [InlineData("curl -H \"Authorization: Bearer $TOKEN\" http://localhost/jobs/1", false)]
    public void A_variable_that_a_shell_replaces_is_found(string line, bool isReplaced) => Assert.Equal(isReplaced, Shell.Expands(line, JobsVariable));

    [Fact]
    public void A_command_of_a_page_is_found()
    {
        var page = new Page("docs/a.md", "Try `curl x/$jobs`, not `/$jobs`.\n```console\n$ curl \\\n  a\noutput of curl b\n```\n```sh\nf=c\n```\n```\ncurl d\n```\n```csharp\nvar e = 1;\n```\n");
        Assert.Equal(["curl    a", "f=c", "", "curl d", "curl x/$jobs"], page.ShellLines);
        Assert.Equal("curl e", Shell.CommandIn("// Ask it: curl e"));
    }

    [Fact]
    public void A_quotation_is_found()
    {
        var page = new Page("docs/a.md", "<!-- sample: samples/A/B.cs -->\n```cs\nx;\n\ny;\n```\n\n```cs\nz;\n```\n");
        Assert.Equal([("samples/A/B.cs", "x;\n\ny;\n")], page.Quotations);
    }

    [Fact]
    public void A_dead_link_is_found()
    {
        var page = new Page("docs/a.md", "[x](gone.md) [y](../README.md#top) [z](https://example.org) [w](#here) `[v](not-a-link.md)`");
        Assert.Equal(["docs/gone.md", "README.md"], page.Links);
    }

    [Fact]
    public void A_link_to_a_heading_is_found()
    {
        var page = new Page("docs/a.md", $"[x](b.md#top) [y](#here) [z](https://example.org#there) [w]({Repository.Pages}/blob/main/docs/c.md#end)\n```\n[v](d.md#code)\n```\n");
        Assert.Equal([("docs/b.md", "top"), ("docs/a.md", "here"), ("docs/c.md", "end")], page.AnchorLinks);
    }

    [Fact]
    public void The_anchors_of_headings_are_those_of_GitHub()
    {
        var page = new Page("docs/a.md", "# §12. The `Weir.Lab`: what's it?\n## Same\n```\n# not a heading\n```\n### Same\n## [Linked](x.md) text\n## Same\n");
        Assert.Equal(["12-the-weirlab-whats-it", "linked-text", "same", "same-1", "same-2"], page.Anchors.Order());
    }

    [Fact]
    public void A_linked_test_is_found()
    {
        var page = new Page("README.md", "[`It_works`](tests/A.cs), [text](tests/B.cs), `It_is_not_linked`");
        Assert.Equal([("It_works", "tests/A.cs")], page.NamedTests);
        Assert.True(Declares("tests/Weir.Tests/Architecture/DocumentationTests.cs", nameof(A_linked_test_is_found)));
        Assert.False(Declares("tests/Weir.Tests/Architecture/DocumentationTests.cs", "It_works"));
    }

    [Fact]
    public void A_named_path_is_found()
    {
        var page = new Page("docs/a.md", "`src/Weir.AspNetCore/` and `docs/diagnostics/WEIR####.md` and `./test.sh`\n```\nsrc/Not.This\n```\n");
        Assert.Equal(["src/Weir.AspNetCore"], page.NamedPaths);
    }

    private static string SampleOf(string path) => string.Join('/', path.Split('/').Take(2));

    private static bool Declares(string path, string name) =>
        new SourceFile(path, Repository.Read(path)).Syntax.DescendantNodes().Any(node => node switch
        {
            MethodDeclarationSyntax method => method.Identifier.ValueText == name,
            TypeDeclarationSyntax type => type.Identifier.ValueText == name,
            _ => false,
        });

    [GeneratedRegex(@"^\| (\d)\. [^\n]*$", RegexOptions.Multiline)]
    private static partial Regex StepRow();

    [GeneratedRegex(@"Step (\d) of an isolated call \(docs/architecture\.md\)")]
    private static partial Regex StepComment();

    [GeneratedRegex(@"docs/[a-z]+/[\w-]+\.md")]
    private static partial Regex PageName();
}
