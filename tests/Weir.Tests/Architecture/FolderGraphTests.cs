namespace Weir.Tests.Architecture;

public sealed class FolderGraphTests
{
    // No new one: move the type that lies in the wrong folder, or pass a value.
    private static readonly string[][] Known =
    [
        [
            "Weir.Abstractions/Errors", "Weir.Abstractions/Operations", "Weir.Abstractions/Runtime/Binding", "Weir.Abstractions/Runtime/Calls",
            "Weir.Abstractions/Runtime/Catalogs", "Weir.Abstractions/Runtime/Json", "Weir.Abstractions/Runtime/Payloads",
            "Weir.Abstractions/Runtime/Requests", "Weir.Abstractions/Runtime/Validation",
        ],
        ["Weir.Client/Requests", "Weir.Client/Responses", "Weir.Client/Runtime"],
        [
            "Weir.Execution/Pools", "Weir.Execution/Pools/Calls", "Weir.Execution/Pools/Capacity", "Weir.Execution/Pools/Core",
            "Weir.Execution/Pools/Definition", "Weir.Execution/Pools/Transport", "Weir.Execution/Pools/Workers",
        ],
        ["Weir.Generator/Emission", "Weir.Generator/Model", "Weir.Generator/Parsing", "Weir.Generator/Parsing/Types"],
        ["Weir.Http", "Weir.Http/FanOut"],
        ["Weir.Load", "Weir.Load/Clients", "Weir.Load/Connecting", "Weir.Load/Measuring", "Weir.Load/Raw", "Weir.Load/Requests"],
    ];

    [Fact]
    public void No_folder_is_in_a_cycle_that_is_not_known() => Expect.NoFault(new FolderGraph(Repository.Sources).Faults(Known));

    [Fact]
    public void A_new_cycle_is_found_with_the_files_that_close_it()
    {
        var graph = Graph(("A", "class Box { Lid lid; }"), ("B", "class Lid\n{\n    Box box;\n}"), ("C", "class Shelf { Box box; }"));
        Assert.Equal(
            ["a cycle of folders that is not in the list: Weir.X/A, Weir.X/B\n  src/Weir.X/A/File.cs:2: uses Lid of Weir.X/B\n  src/Weir.X/B/File.cs:4: uses Box of Weir.X/A"],
            graph.Faults([]));
    }

    [Fact]
    public void A_folder_that_joins_a_known_cycle_is_found()
    {
        var graph = Graph(("A", "class Box { Lid lid; }"), ("B", "class Lid { Box box; Shelf shelf; }"), ("C", "class Shelf { Box box; }"));
        Assert.Equal(
            [
                "a cycle of folders that is not in the list: Weir.X/A, Weir.X/B, Weir.X/C\n  src/Weir.X/C/File.cs:2: uses Box of Weir.X/A\n  src/Weir.X/A/File.cs:2: uses Lid of Weir.X/B\n  src/Weir.X/B/File.cs:2: uses Shelf of Weir.X/C",
                "no cycle of exactly these folders any more; remove it from the list: Weir.X/A, Weir.X/B",
            ],
            graph.Faults([["Weir.X/A", "Weir.X/B"]]));
    }

    [Fact]
    public void A_known_cycle_must_exist()
    {
        var graph = Graph(("A", "class Box { Lid lid; }"), ("B", "class Lid;"));
        Assert.Equal(["no cycle of exactly these folders any more; remove it from the list: Weir.X/A, Weir.X/B"], graph.Faults([["Weir.X/A", "Weir.X/B"]]));
    }

    [Theory]
    [InlineData("class Lid { Box box; }")]
    [InlineData("class Lid { object box = new Box(); }")]
    [InlineData("class Lid { string text = $\"{Box.Name}\"; }")]
    [InlineData("class Lid { void M() { 1.Pack(); } }", false)]
    [InlineData("class Lid { void M() { 1.Pack(); } }", true, "using Weir.X.A;")]
    [InlineData("class Lid { int pack = Lid.Unpack(); }", false, "using Weir.X.A;")]
    [InlineData("class Lid { object box = this.Box; }", false)]
    [InlineData("class Lid { object Box { get; } }", false)]
    [InlineData("class Lid { string box = nameof(Box); }", false)]
    [InlineData("class Lid; // Box", false)]
    [InlineData("/// <summary><see cref=\"Box\"/></summary>\nclass Lid;", false)]
    [InlineData("class Lid { string box = \"Box\"; }", false)]
    [InlineData("class Lid { Part part; }", false)]
    [InlineData("class Lid { Hidden hidden; }", false)]
    public void A_use_is_found_by_its_name(string code, bool isFound = true, string directive = "")
    {
        var box = File("A", "static class Box { class Part; static Lid lid; static void Pack(this int number) { } static int Unpack() => 0; } file class Hidden;");
        var graph = new FolderGraph([box, File("B", code, directive)]);
        Assert.Equal(isFound, graph.Cycles().Count > 0);
    }

    [Fact]
    public void A_name_that_two_files_declare_is_left_out() =>
        Assert.Empty(Graph(("A", "class Box { Lid lid; }"), ("B", "class Lid { Box box; }"), ("C", "class Box;")).Cycles());

    private static FolderGraph Graph(params (string Folder, string Code)[] files) => new(files.Select(static file => File(file.Folder, file.Code)));

    private static SourceFile File(string folder, string code, string directive = "") => new($"src/Weir.X/{folder}/File.cs", $"{directive}namespace Weir.X.{folder};\n{code}");
}
