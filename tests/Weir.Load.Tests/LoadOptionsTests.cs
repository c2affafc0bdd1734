using Weir.Load.Requests;

namespace Weir.Load.Tests;

public sealed class LoadOptionsTests
{
    private static readonly Uri Address = new("http://example.com/path?x=1");

    public static TheoryData<Func<LoadOptions>, string> Wrong => new()
    {
        { () => new LoadOptions { Address = new Uri("ftp://example.com") }, "ftp://example.com" },
        { () => new LoadOptions { Address = new Uri("/path", UriKind.Relative) }, "'/path'" },
        { () => new LoadOptions { Address = Address, Connections = 0 }, "Connections is 0" },
        { () => new LoadOptions { Address = Address, Requests = 0 }, "Requests is 0" },
        { () => new LoadOptions { Address = Address, Duration = TimeSpan.Zero }, "Duration is 00:00:00" },
        { () => new LoadOptions { Address = Address, Rate = double.NaN }, "Rate is NaN" },
        { () => new LoadOptions { Address = Address, Rate = 0 }, "Rate is 0" },
        { () => new LoadOptions { Address = Address, HttpVersion = new Version(3, 0) }, "HttpVersion is 3.0" },
        { () => new LoadOptions { Address = Address, AbortAfter = 0 }, "AbortAfter is 0" },
        { () => new LoadOptions { Address = Address, Timeout = TimeSpan.Zero }, "Timeout is 00:00:00" },
        { () => new LoadOptions { Address = Address, WarmUp = TimeSpan.FromSeconds(-1) }, "WarmUp is -00:00:01" },
        { () => new LoadOptions { Address = Address, Method = HttpMethod.Connect }, "CONNECT" },
        { () => new LoadOptions { Address = Address, Headers = [new("X One", "1")] }, "'X One'" },
        { () => new LoadOptions { Address = Address, Headers = [new("X-One", "1\r\nX-Two: 2")] }, "'X-One'" },
        { () => new LoadOptions { Address = Address, Headers = [new("content-length", "1")] }, "'content-length'" },
    };

    public static TheoryData<LoadOptions, string> Contradictory => new()
    {
        { new LoadOptions { Address = Address, Requests = 1, Duration = TimeSpan.FromSeconds(1) }, "Requests is 1 and Duration is 00:00:01" },
        { new LoadOptions { Address = Address, Requests = 1, WarmUp = TimeSpan.FromSeconds(1) }, "WarmUp is 00:00:01 and Requests is 1" },
        { new LoadOptions { Address = Address, IsPoisson = true }, "IsPoisson is true and Rate is null" },
        { new LoadOptions { Address = Address, AbortAfter = 2 }, "AbortAfter is 2 and IsStream is false" },
    };

    [Theory]
    [MemberData(nameof(Wrong), DisableDiscoveryEnumeration = true)]
    public void An_option_out_of_range_is_refused_with_its_value(Func<LoadOptions> create, string message) =>
        Assert.Contains(message, Assert.ThrowsAny<ArgumentException>(create).Message, StringComparison.Ordinal);

    [Theory]
    [MemberData(nameof(Contradictory), DisableDiscoveryEnumeration = true)]
    public async Task Options_that_contradict_each_other_are_refused(LoadOptions options, string message) =>
        Assert.Contains(message, (await Assert.ThrowsAsync<ArgumentException>(() => LoadTest.RunAsync(options, cancellationToken: TestContext.Current.CancellationToken))).Message, StringComparison.Ordinal);

    [Fact]
    public void A_request_has_a_host_and_the_length_of_its_body()
    {
        var options = new LoadOptions { Address = new Uri("http://example.com:8080/a?b=c"), Method = HttpMethod.Post, Headers = [new("X-One", "1")], Body = "hi"u8.ToArray() };
        Assert.Equal(
            "POST /a?b=c HTTP/1.1\r\nHost: example.com:8080\r\nX-One: 1\r\nContent-Length: 2\r\n\r\nhi",
            System.Text.Encoding.ASCII.GetString(RequestSet.BytesOf(options)));
    }

    [Fact]
    public void A_host_among_the_headers_replaces_that_of_the_address()
    {
        var options = new LoadOptions { Address = new Uri("http://[::1]:8080/"), Headers = [new("host", "example.com")] };
        Assert.Equal("GET / HTTP/1.1\r\nhost: example.com\r\n\r\n", System.Text.Encoding.ASCII.GetString(RequestSet.BytesOf(options)));
        Assert.Contains("Host: [::1]:8080\r\n", System.Text.Encoding.ASCII.GetString(RequestSet.BytesOf(new LoadOptions { Address = options.Address })), StringComparison.Ordinal);
    }
}
