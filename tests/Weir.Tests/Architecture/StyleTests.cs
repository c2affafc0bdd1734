namespace Weir.Tests.Architecture;

public sealed class StyleTests
{
    private static readonly SourceFile[] Everything =
        [.. Repository.Sources, .. Repository.SourcesUnder("tests"), .. Repository.SourcesUnder("samples")];

    [Fact]
    public void No_file_has_regions() => Expect.NoFault(Everything.SelectMany(Style.Regions));

    [Fact]
    public void Namespaces_are_file_scoped() => Expect.NoFault(Everything.SelectMany(Style.BlockNamespaces));

    [Fact]
    public void No_work_is_left_as_a_comment() => Expect.NoFault(Everything.SelectMany(Style.UnfinishedWork));

    [Fact]
    public void No_handwritten_type_is_partial() => Expect.NoFault(Everything.SelectMany(Style.PartsByHand));

    [Fact]
    public void Usings_are_in_order() =>
        Expect.NoFault(Everything.Concat(Repository.SourcesUnder("bench")).SelectMany(Style.UnsortedUsings));

    [Fact]
    public void Every_queue_and_buffer_is_bounded_or_says_why_not() => Expect.NoFault(Repository.Sources.SelectMany(Style.UnexplainedQueues));

    [Fact]
    public void A_region_is_found() => Assert.Single(Style.Regions(Code("#region A\nclass A;\n#endregion")));

    [Fact]
    public void A_block_namespace_is_found() => Assert.Single(Style.BlockNamespaces(Code("namespace A { class B; }")));

    [Theory]
    [InlineData("// TODO: finish", 1)]
    [InlineData("/* FIXME */ class A;", 1)]
    [InlineData("/// <summary>HACK</summary>\nclass A;", 1)]
    [InlineData("var todo = \"TODO\";", 0)]
    public void Unfinished_work_is_found(string code, int findings) =>
        Assert.Equal(findings, Style.UnfinishedWork(Code(code)).Count());

    [Theory]
    [InlineData("partial class A { void B() { } }", 1)]
    [InlineData("class A { partial class B; }", 1)]
    [InlineData("partial class A { [LibraryImport(\"libc\")] static partial int getpid(); }", 0)]
    [InlineData("partial class A { static partial class Log { [LoggerMessage(1, LogLevel.Error, \"\")] static partial void B(); } }", 0)]
    [InlineData("partial class A : JsonSerializerContext;", 0)]
    public void A_handwritten_partial_type_is_found(string code, int findings) =>
        Assert.Equal(findings, Style.PartsByHand(Code(code)).Count());

    [Theory]
    [InlineData("using System;\nusing System.IO;\nusing Abc;\nusing Abc.Def;\nusing AbcD;\nusing static A.B;\nusing C = System.Int32;", 0)]
    [InlineData("using Abc;\nusing System;", 1)]
    [InlineData("using System.IO;\nusing System;", 1)]
    [InlineData("using SystemX;\nusing Abc;", 1)]
    [InlineData("using Abcd;\nusing Abc.Def;", 1)]
    [InlineData("using C = System.Int32;\nusing Abc;", 1)]
    [InlineData("using static A.B;\nusing Z;", 1)]
    public void A_using_that_is_not_in_order_is_found(string code, int findings) =>
        Assert.Equal(findings, Style.UnsortedUsings(Code(code)).Count());

    [Theory]
    [InlineData("var a = Channel.CreateUnbounded<int>();", 1)]
    [InlineData("var a = new ConcurrentQueue<int>();", 1)]
    [InlineData("// Bounded by the number of threads.\nvar a = new ConcurrentQueue<int>();", 0)]
    [InlineData("var a = Channel.CreateBounded<int>(1);", 0)]
    [InlineData("class A { Queue<int> _waiting = []; }", 1)]
    [InlineData("class A { int Queue; }", 0)]
    public void An_unexplained_queue_is_found(string code, int findings) =>
        Assert.Equal(findings, Style.UnexplainedQueues(Code(code)).Count());

    private static SourceFile Code(string text) => new("src/A.cs", text);
}
