using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Options;

namespace Weir.Tests.Server;

public sealed class WeirServerOptionsTests
{
    private static readonly WeirServerOptionsValidation Validation = new();

    public static TheoryData<Action<WeirServerOptions>, string> Wrong => new()
    {
        { static options => options.FlushSize = 0, "WeirServerOptions.FlushSize is 0; set it from 1 to 16777216 bytes. See WEIR3002." },
        { static options => options.FlushDelay = TimeSpan.FromMilliseconds(-1), "WeirServerOptions.FlushDelay is -00:00:00.0010000; set it from zero to 00:01:00. See WEIR3002." },
        { static options => options.HeartbeatInterval = TimeSpan.Zero, "WeirServerOptions.HeartbeatInterval is 00:00:00; set it from 00:00:00.0100000 to 1.00:00:00, or to null for no heartbeat. See WEIR3002." },
        { static options => options.ReaderStallTimeout = TimeSpan.MaxValue, "or to null for no limit. See WEIR3002." },
        { static options => options.StreamUnsentLimit = 10, "WeirServerOptions.StreamUnsentLimit is 10; set it to 4096 bytes or more, or to null for the system's own. See WEIR3002." },
    };

    [Fact]
    public void Defaults_are_those_of_the_documentation()
    {
        var options = new WeirServerOptions();
        Assert.Equal(32 * 1024, options.FlushSize);
        Assert.Equal(TimeSpan.FromMilliseconds(5), options.FlushDelay);
        Assert.Equal(TimeSpan.FromSeconds(15), options.HeartbeatInterval);
        Assert.Equal(TimeSpan.FromSeconds(30), options.ReaderStallTimeout);
        Assert.Equal(64 * 1024, options.StreamUnsentLimit);
        Assert.False(options.RefuseUnknownArguments);
        Assert.False(options.IncludeExceptionDetails);
        Assert.True(Validation.Validate(null, options).Succeeded);
    }

    [Fact]
    public void Null_means_no_limit_and_is_allowed() =>
        Assert.True(Validation.Validate(null, new WeirServerOptions { HeartbeatInterval = null, ReaderStallTimeout = null, StreamUnsentLimit = null }).Succeeded);

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_invalid_option_is_rejected_with_its_name_and_value(Action<WeirServerOptions> change, string message)
    {
        var options = new WeirServerOptions();
        change(options);
        Assert.Contains(message, Assert.Single(Validation.Validate(null, options).Failures!), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Verbs.Get, "GET, HEAD, OPTIONS")]
    [InlineData(Verbs.Get | Verbs.Post, "GET, HEAD, POST, OPTIONS")]
    [InlineData(Verbs.Put | Verbs.Delete | Verbs.Patch, "PUT, DELETE, PATCH, OPTIONS")]
    public void The_Allow_header_lists_the_verbs(Verbs verbs, string header)
    {
        var allowed = new AllowedVerbs(verbs);
        Assert.Equal(header, allowed.Header);
        Assert.All(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"], verb => Assert.Equal(header.Contains(verb, StringComparison.Ordinal), allowed.Contains(verb)));
        Assert.False(allowed.Contains("OPTIONS"));
    }
}
