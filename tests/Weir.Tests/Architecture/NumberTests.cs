using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

public sealed partial class NumberTests
{
    private const string Pages = "docs/diagnostics";

    private static readonly Numbers.Given[] Codes =
        [.. Repository.Sources.Where(file => file.Path == "src/Weir.Abstractions/WeirCodes.cs").SelectMany(Numbers.Constants)];

    private static readonly Numbers.Given[] EventIds = [.. Repository.Sources.SelectMany(Numbers.EventIds)];

    [Fact]
    public void Every_code_is_spelled_WEIR_and_four_digits()
    {
        Assert.NotEmpty(Codes);
        Expect.NoFault(Codes.Where(code => !CodeSpelling().IsMatch(code.Number)).Select(code => $"{code.Where}: '{code.Number}'"));
    }

    [Fact]
    public void No_code_is_given_twice() => Expect.NoFault(Numbers.Doubles(Codes));

    [Fact]
    public void No_code_is_written_outside_of_the_registry() =>
        Expect.NoFault(
            from file in Repository.Sources
            where file.Path != "src/Weir.Abstractions/WeirCodes.cs"
            from token in file.Syntax.DescendantTokens()
            where CodeSpelling().IsMatch(token.ValueText)
            select file.At(token, $"{token.ValueText} is written out; say WeirCodes"));

    [Fact]
    public void Every_code_has_a_page_that_names_it() =>
        Expect.NoFault(
            from code in Codes
            let page = $"{Pages}/{code.Number}.md"
            where !Repository.Exists(page) || !Repository.Read(page).StartsWith($"# {code.Number}: ", StringComparison.Ordinal)
            select $"{page} is missing, or does not begin with '# {code.Number}: '");

    [Fact]
    public void No_page_explains_a_code_that_does_not_exist() =>
        Assert.Empty(Repository.Files(Pages, "WEIR*.md").Select(Path.GetFileNameWithoutExtension).Except(Codes.Select(code => code.Number)));

    [Fact]
    public void Every_log_message_has_an_event_id() =>
        Expect.NoFault(EventIds.Where(id => id.Number.Length == 0).Select(id => id.Where));

    [Fact]
    public void No_event_id_is_given_twice() => Expect.NoFault(Numbers.Doubles(EventIds));

    [Fact]
    public void A_number_given_twice_is_found()
    {
        var file = new SourceFile("src/Codes.cs", """class Codes { const string A = "WEIR1001"; const string B = "WEIR1002"; const string C = "WEIR1001"; }""");
        Assert.Equal(["WEIR1001 is given twice: src/Codes.cs:1: A and src/Codes.cs:1: C"], Numbers.Doubles(Numbers.Constants(file)));
    }

    [Theory]
    [InlineData("[LoggerMessage(4001, LogLevel.Error, \"x\")]", "4001")]
    [InlineData("[LoggerMessage(EventId = EventIds.Lost, Level = LogLevel.Error)]", "EventIds.Lost")]
    [InlineData("[LoggerMessage(eventId: 7, level: LogLevel.Error, message: \"x\")]", "7")]
    [InlineData("[LoggerMessage(LogLevel.Error, \"x\")]", "")]
    [InlineData("[LoggerMessage(Level = LogLevel.Error)]", "")]
    public void An_event_id_is_read_from_its_attribute(string attribute, string number)
    {
        var file = new SourceFile("src/Log.cs", $"partial class Log {{ {attribute} static partial void A(); }}");
        Assert.Equal([number], Numbers.EventIds(file).Select(given => given.Number));
    }

    [GeneratedRegex("^WEIR[1-4][0-9]{3}$")]
    private static partial Regex CodeSpelling();
}
