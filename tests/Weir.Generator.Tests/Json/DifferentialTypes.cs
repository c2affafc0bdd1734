namespace Weir.Generator.Tests.Json;

/// <summary>The types of the first table of <c>docs/guide/json.md</c>, in each way an object can be declared.</summary>
internal static class DifferentialTypes
{
    internal const string Source =
        """
        using System.Runtime.Serialization;
        using System.Text.Json.Serialization;
        using Weir;
        namespace Sample;

        public enum State { New, [JsonStringEnumMemberName("sent-out")] Sent, [EnumMember(Value = "gone away")] Gone = 7, Lost = -1 }
        public enum Small : byte { None, Ä = 200 }
        [Flags] public enum Rights { None = 0, Read = 1, Write = 2, All = 7, Own = 4 }
        [Flags] public enum Wide : ulong { Low = 1, High = 1UL << 63 }

        public sealed record Whole(bool A, byte B, sbyte C, short D, ushort E, int F, uint G, long H, ulong I);
        public sealed record Fraction(float A, double B, decimal C);
        public sealed record Texts(string A, char B, Guid C, string? D);
        public sealed record Times(DateTime A, DateTimeOffset B, DateOnly C, TimeOnly D, TimeSpan E);
        public sealed record Absent(bool? A, int? B, double? C, string? D, char? E, Guid? F, DateTime? G, State? H, byte[]? I, int[]? J, Tree? K, Point? L);
        public sealed record Enums(State A, Small B, Rights C, Wide D, State[] E);
        public sealed record Bytes(byte[] A, ReadOnlyMemory<byte> B, byte[]? C, ReadOnlyMemory<byte>? D, List<byte[]> E);
        public sealed record Lists(int[] A, List<string> B, List<string?> C, IReadOnlyList<int?> D, ICollection<Guid> E, IEnumerable<Tree> F, IList<bool> G, IReadOnlyCollection<decimal> H);
        public sealed record Grid(int[][] A, List<List<string>> B, IReadOnlyList<Tree?[]?>? C);
        public sealed record Tree(string Name, Tree? Left = null, Tree[]? Children = null);
        public sealed record Pairs(KeyValuePair<string, int> A, List<KeyValuePair<State, Tree?>> B);
        public class Settable { public int A { get; set; } = 5; public string B { get; set; } = "start"; public List<int> C { get; set; } = [1]; public Point? D { get; set; } }
        public class Initial { public int A { get; init; } = 5; public string B { get; init; } = "start"; public string? C { get; init; } = "maybe"; public Rights D { get; init; } = Rights.All; }
        public sealed record Required { public required int A { get; set; } public required string? B { get; init; } [JsonRequired] public string? C { get; set; } public string D { get; init; } = "d"; }
        public readonly record struct Point(int X, int Y) { public double Length => Math.Abs((double)X) + Math.Abs((double)Y); }
        public struct Loose() { public int A { get; init; } = 3; public string B { get; set; } = "b"; }
        public sealed record Points(Point A, Point? B, Point[] C, Loose D);
        public class Ancestor(int id) { public int Id { get; } = id; public virtual string Kind { get; set; } = "a"; }
        public sealed class Descendant(int id, string name) : Ancestor(id) { public string Name { get; } = name; public override string Kind { get; set; } = "d"; }
        public sealed record Named([property: JsonPropertyName("the-name")] string A, [property: JsonPropertyName("größe \"x\"")] int B) { [JsonPropertyName("")] public int C { get; set; } }
        public sealed class Ignored
        {
            [JsonIgnore] public int A { get; set; } = 1;
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public string? B { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] public int C { get; init; }
            [JsonIgnore(Condition = JsonIgnoreCondition.Never)] public int? D { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWriting)] public string E { get; set; } = "e";
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenReading)] public string F { get; set; } = "f";
        }
        public class FirstOrdered { public int A { get; set; } [JsonPropertyOrder(1)] public int B { get; set; } [JsonPropertyOrder(-5)] public int C { get; set; } }
        public sealed class Ordered : FirstOrdered { [JsonPropertyOrder(1)] public int D { get; set; } public int E { get; set; } [JsonPropertyOrder(-6)] public int F { get; set; } }
        public sealed class Marked
        {
            public Marked() : this(0) { }
            [JsonConstructor] public Marked(int size) => Size = size;
            public Marked(int size, string note) : this(size) => Note = note;
            public int Size { get; }
            public string Note { get; set; } = "";
        }
        public sealed record Page<T>(T[] Items, int Total, T? First = default) where T : notnull { public T[] More { get; init; } = []; }
        public sealed record Pages(Page<Tree> A, Page<int> B, Page<string> C);
        public sealed record Defaults(sbyte A = -3, long B = long.MinValue, double C = -0.1, decimal D = 1.50m, char E = '\'', DayOfWeek F = DayOfWeek.Friday, Guid G = default, string H = "h", int? I = 4);
        public sealed record ReadOnly(int A) { public int B => A / 2; public IReadOnlyList<int> C { get; } = [1]; }
        public sealed record Mixed(int A, string B = "b") { public required int C { get; init; } public int D { get; init; } = 4; public string? E { get; set; } = "e"; }
        public sealed record Refusing(int A) { public int A { get; } = A < 0 ? throw new ArgumentException("negative") : A; public string B { get => ""; init => _ = value?.Length > 3 ? throw new FormatException("long") : value; } }
        public sealed record Empty;
        public sealed class Many { @@MANY@@ }

        #nullable disable
        public class Old { public string A { get; set; } public int X { get; set; } public Old Next { get; set; } public List<string> Names { get; set; } public string[][] Grid { get; set; } public DayOfWeek? Day { get; set; } }
        public record OldRecord(string A, int X, string B = "b") { public string C { get; init; } = "kept"; }
        #nullable restore

        [Service] public sealed class Echo { @@ECHO@@ }
        """;

    /// <summary>Those that operations exchange.</summary>
    internal static readonly string[] Names =
    [
        "Whole", "Fraction", "Texts", "Times", "Absent", "Enums", "Bytes", "Lists", "Grid", "Tree", "Pairs", "Settable", "Initial", "Required", "Points", "Loose", "Ancestor", "Descendant", "Named", "Ignored", "Ordered",
        "Marked", "Pages", "Defaults", "ReadOnly", "Mixed", "Refusing", "Empty", "Many", "Old", "OldRecord", "List<Tree>", "Point[]", "IReadOnlyList<Initial?>", "int", "string", "DateOnly?", "State[]", "List<double?>", "IReadOnlyList<string?>",
    ];

    /// <summary>The operation that takes and returns the type at an index.</summary>
    internal static string Operation(int index) => $"Echo/Type{index}";

    /// <summary>The source with an operation for each type, and a type with more members than one word has bits.</summary>
    internal static string Complete() => Source
        .Replace("@@MANY@@", string.Concat(Enumerable.Range(0, 70).Select(static one => $"public int? M{one} {{ get; {(one % 2 == 0 ? "set" : "init")}; }} ")), StringComparison.Ordinal)
        .Replace("@@ECHO@@", string.Concat(Names.Select(static (name, index) => $"public {name} Type{index}({name} value) => value; ")), StringComparison.Ordinal);
}
