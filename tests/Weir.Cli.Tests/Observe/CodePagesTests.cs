using Weir.Cli.Observe;

namespace Weir.Cli.Tests.Observe;

/// <summary>The pages of codes that are in the tool.</summary>
public sealed class CodePagesTests
{
    [Theory]
    [InlineData(WeirCodes.WorkerStartFailed)]
    [InlineData(WeirCodes.WorkerLost)]
    [InlineData(WeirCodes.QueueFull)]
    [InlineData(WeirCodes.JobStoreUnavailable)]
    [InlineData(WeirCodes.JobWithoutResult)]
    public void The_page_of_each_code_that_a_finding_names_is_in_the_tool(string code) => Assert.StartsWith($"# {code}: ", CodePages.Find(code), StringComparison.Ordinal);

    [Fact]
    public void A_code_that_is_newer_than_the_tool_has_no_page() => Assert.Null(CodePages.Find("WEIR9999"));

    [Fact]
    public void The_codes_of_a_text_are_found_each_once() =>
        Assert.Equal([WeirCodes.WorkerLost, WeirCodes.QueueFull], CodePages.CodesIn($"See {WeirCodes.WorkerLost}, {WeirCodes.QueueFull} and {WeirCodes.WorkerLost}. Not WEIR12 nor 2011."));
}
