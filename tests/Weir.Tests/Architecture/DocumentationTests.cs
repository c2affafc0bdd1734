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

    private static bool Declares(string path, string name) =>
        new SourceFile(path, Repository.Read(path)).Syntax.DescendantNodes().Any(node => node switch
        {
            MethodDeclarationSyntax method => method.Identifier.ValueText == name,
            TypeDeclarationSyntax type => type.Identifier.ValueText == name,
            _ => false,
        });
}
