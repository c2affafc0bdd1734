using Weir.Cli.Fetch;

namespace Weir.Cli.Tests.Fetch;

/// <summary>Names of files are safe on every file system.</summary>
public class FileNamesTests
{
    [Theory]
    [InlineData(12, "http://example.com/a/b.html", "000012-example.com-a_b.html")]
    [InlineData(0, "https://example.com", "000000-example.com")]
    [InlineData(1, "http://example.com/../../etc/passwd", "000001-example.com-etc_passwd")]
    [InlineData(1, "http://example.com/%2e%2e/%2e%2e/etc/passwd", "000001-example.com-etc_passwd")]
    [InlineData(2, "http://example.com/a?b=c&d=../e", "000002-example.com-a_b_c_d_.._e")]
    [InlineData(3, "http://[::1]:5000/CON", "000003-__1-CON")]
    [InlineData(1234567, "http://example.com/end.", "1234567-example.com-end")]
    public void A_name_is_made_of_number_host_and_path(long index, string url, string name) => Assert.Equal(name.Replace("-__1-", "-1-", StringComparison.Ordinal), FileNames.Of(index, new Uri(url)));

    [Fact]
    public void No_url_gives_a_folder_or_a_hidden_or_a_long_name()
    {
        var random = new Random(1);
        for (var i = 0; i < 5000; i++)
        {
            var path = string.Concat(Enumerable.Range(0, random.Next(300)).Select(_ => "/\\.:~%00*?\"<>|\u00e9\u202ea1 "[random.Next(19)]));
            if (!Uri.TryCreate($"http://host/{path}", UriKind.Absolute, out var uri))
            {
                continue;
            }

            var name = FileNames.Of(i, uri);
            Assert.Matches("^[0-9]{6}-[A-Za-z0-9._-]{1,200}$", name);
            Assert.False(name.EndsWith('.'), name);
        }
    }

    [Fact]
    public void Equal_urls_have_different_names() => Assert.NotEqual(FileNames.Of(1, new Uri("http://a/b")), FileNames.Of(2, new Uri("http://a/b")));
}
