namespace Weir.Tests.Architecture;

public sealed class RuleTests
{
    public static TheoryData<string> AllRules => [.. Rules.All.Select(rule => rule.ToString())];

    [Theory]
    [MemberData(nameof(AllRules))]
    public void Every_rule_holds(string name) =>
        Expect.NoFault(Named(name).Faults([.. Repository.Sources, .. Repository.SourcesUnder("tests/Weir.Tests")]));

    [Theory]
    [MemberData(nameof(AllRules))]
    public void Every_rule_covers_files_that_exist(string name) =>
        Assert.NotEmpty(Repository.Files(Named(name).Where, "*.cs"));

    [Theory]
    [InlineData("var x = Process.Start(info);")]
    [InlineData("System.Diagnostics.Process . Start();")]
    [InlineData("""[LibraryImport("libc", EntryPoint = "Process.Start")] static extern void Go();""", false)]
    [InlineData("""[LibraryImport("libc", EntryPoint = "posix_spawnp")] static extern void Go();""")]
    [InlineData("// Process.Start would be wrong", false)]
    [InlineData("""var x = "Process.Start";""", false)]
    [InlineData("""var x = $"{Process.Start()}";""")]
    [InlineData("process.Start();", false)]
    [InlineData("Process.StartTime();", false)]
    public void A_phrase_is_found_in_code_only(string code, bool isFound = true)
    {
        var rule = new Rule("src", "no spawning") { Phrases = ["Process.Start", "posix_spawn*"] };
        Assert.Equal(isFound, rule.Faults([new("src/A.cs", code)]).Any());
    }

    [Theory]
    [InlineData("var workerProcess = 1;")]
    [InlineData("using Weir.Execution.Processes;")]
    [InlineData("var pid = Environment.ProcessId;")]
    [InlineData("const int PROCESS_LIMIT = 1;")]
    [InlineData("var count = Environment.ProcessorCount;", false)]
    [InlineData("void ProcessingDone() { }", false)]
    [InlineData("/// <summary>A process.</summary>\nclass A;", false)]
    public void A_word_is_found_within_an_identifier(string code, bool isFound = true)
    {
        var rule = new Rule("src", "never says process") { Words = ["process", "processes"] };
        Assert.Equal(isFound, rule.Faults([new("src/A.cs", code)]).Any());
    }

    [Fact]
    public void A_rule_covers_its_folder_and_nothing_beside_it()
    {
        var rule = new Rule("src/Weir.AspNetCore", "never says process") { Words = ["process"] };
        var faults = rule.Faults([new("src/Weir.AspNetCore/Deep/A.cs", "class Process;"), new("src/Weir.AspNetCoreToo/A.cs", "class Process;")]);
        Assert.Equal(["src/Weir.AspNetCore/Deep/A.cs:1: says Process: never says process"], faults);
    }

    [Fact]
    public void An_exception_covers_its_file_and_must_be_needed()
    {
        var rule = new Rule("src", "never says process") { Words = ["process"], Except = ["src/A.cs", "src/B.cs"] };
        var faults = rule.Faults([new("src/A.cs", "class Process;"), new("src/B.cs", "class B;")]);
        Assert.Equal(["src/B.cs: does not need its exception any more: never says process"], faults);
    }

    private static Rule Named(string name) => Rules.All.Single(rule => rule.ToString() == name);
}
