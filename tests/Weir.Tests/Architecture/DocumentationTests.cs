using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

public sealed class DocumentationTests
{
    private static readonly Page[] Pages = [.. Repository.Files("", "*.md").Select(path => new Page(path, Repository.Read(path)))];

    [Fact]
    public void Every_link_has_a_target() =>
        Expect.NoFault(
            from page in Pages
            from link in page.Links
            where !Repository.Exists(link)
            select $"{page.Path}: links to {link}, which does not exist");

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
}
