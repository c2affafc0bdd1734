namespace Weir.Generator.Tests.Services;

/// <summary>For each cell of the table on the page on contracts, changes of an accepted contract that show what it says.</summary>
internal static class ContractRows
{
    /// <summary>What was accepted.</summary>
    internal const string Accepted = """
        using System.Text.Json.Serialization; using Weir;
        namespace Shop;
        public enum Color { Red, Green }
        public enum Level { Low, High }
        public enum Size { [EnumFallback] Other, Large }
        public sealed record Line(string Article, Color Color, string? Note);
        public sealed class Draft { public required string Customer { get; set; } public int Priority { get; set; } public Level Wish { get; set; } }
        [JsonDerivedType(typeof(Card), "card")] [JsonDerivedType(typeof(Cash), "cash")] public abstract record Payment;
        public sealed record Card(string Number) : Payment;
        public sealed record Cash(decimal Amount) : Payment;
        public sealed record Voucher(string Code) : Payment;
        [JsonDerivedType(typeof(Mail), "mail")] public abstract record Way;
        public sealed record Mail(string Address) : Way;
        public sealed record Call(string Number) : Way;
        [JsonPolymorphic(IgnoreUnrecognizedTypeDiscriminators = true)] [JsonDerivedType(typeof(Round), "round")] public record Figure(int Id);
        public sealed record Round(int Id) : Figure(Id);
        public sealed record Flat(int Id) : Figure(Id);
        [Service] public sealed class Orders
        {
            [Get, Post, Throws(typeof(InvalidOperationException), Status = 404)] public Line Find(long id, bool all = false) => throw new NotSupportedException();
            public string? Add(Draft draft, string? reason) => null;
            public void Pay(Payment payment, Way way) { }
            public Payment Paid(int id) => throw new NotSupportedException();
            public Figure Shape(Size size) => throw new NotSupportedException();
            public Size Measure() => default;
            [Get, Resumable] public IAsyncEnumerable<long> Watch(long from = 0) => throw new NotSupportedException();
            [Job("import")] public long Import(int id) => id;
            [Job] public long Export(int id) => id;
        }
        """;

    internal static Dictionary<string, Change[]> Breaking { get; } = new()
    {
        ["a service, an operation, a verb or a path that is not there any more"] =
        [
            new("[Service]", "[Service(\"Sales\")]"), new("public void Pay(Payment payment, Way way) { }", ""), new("[Get, Post, ", "[Get, "), new("[Get, Post, ", "[Get(\"by-id\"), Post, "),
        ],
        ["a parameter that is not there any more, comes from elsewhere, or has another name"] =
        [
            new(", bool all = false", ""), new("bool all", "[Microsoft.AspNetCore.Mvc.FromQuery] bool all"), new("long id, bool", "long number, bool"),
        ],
        ["a parameter or a member of a request that must be sent, and was optional, or is new"] =
        [
            new("bool all = false", "bool all"), new("long id, bool", "long id, int more, bool"), new("public int Priority", "public required int Priority"), new("public int Priority", "public required int More { get; set; } public int Priority"),
        ],
        ["another type, also a wider one; null where it was excluded in a result, or excluded where a request had it"] =
        [
            new("long id, bool", "int id, bool"), new("record Cash(decimal", "record Cash(double"), new("Paid(int id)", "Paid(long id)"), new("public Line Find", "public Line? Find"), new("string? reason", "string reason"),
        ],
        ["a member that a result does not have any more, or may lack"] =
        [
            new(", string? Note", ""), new("string? Note", "[property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Note"),
        ],
        ["a name of an enum, or a case of a polymorphic type, that is not there any more"] = [new("Red, Green", "Red"), new("Low, High", "Low"), new("Other, Large", "Other"), new(" [JsonDerivedType(typeof(Cash), \"cash\")]", "")],
        ["a new name of an enum in a result, a new case, or an enum that becomes `[Flags]` there"] =
        [
            new("Red, Green", "Red, Green, Blue"), new("\"cash\")]", "\"cash\")] [JsonDerivedType(typeof(Voucher), \"voucher\")]"), new("public enum Color", "[System.Flags] public enum Color"),
        ],
        ["another kind of result: a stream that becomes a list; a stream that does not continue after a cut any more"] =
        [
            new("[Get, Resumable] public IAsyncEnumerable<long>", "[Get] public long[]"), new("[Get, Resumable]", "[Get]"),
        ],
        ["an exception (`[Throws]`) that is not declared any more, or has another status"] =
        [
            new(", Throws(typeof(InvalidOperationException), Status = 404)", ""), new("Status = 404", "Status = 409"), new(", Status = 404", ""),
        ],
        ["an operation that is no job (`[Job]`) any more, whose kind has another name, or whose requests become jobs in other cases (`Respond`)"] =
        [
            new("[Job] ", ""), new("[Job(\"import\")] ", ""), new("[Job(\"import\")]", "[Job(\"load\")]"), new("[Job(\"import\")]", "[Job]"), new("[Job]", "[Job(\"export\")]"),
            new("[Job]", "[Job(Respond = JobRespond.Always)]"), new("[Job]", "[Job(Respond = JobRespond.Never)]"),
        ],
    };

    internal static Dictionary<string, Change[]> Compatible { get; } = new()
    {
        ["one that is new"] = [new("public void Pay", "public int Count() => 0; public void Pay"), new("public string? Add(", "[Post, Put] public string? Add(")],
        ["a new optional parameter, another order, another default"] =
        [
            new("bool all = false", "bool all = false, int depth = 1"), new("Draft draft, string? reason", "string? reason, Draft draft"), new("bool all = false", "bool all = true"),
        ],
        ["a member that may be left out"] = [new("public int Priority", "public string? Reference { get; set; } public int Priority")],
        ["null excluded in a result, allowed in a request"] = [new("string? Add(Draft draft, string? reason) => null", "string Add(Draft draft, string? reason) => \"\""), new("public required string Customer", "public required string? Customer")],
        ["a new member of a result"] = [new("string? Note)", "string? Note, decimal Total)")],
        ["a new one in a request"] = [new("Low, High", "Low, Middle, High"), new("\"mail\")]", "\"mail\")] [JsonDerivedType(typeof(Call), \"call\")]")],
        ["the same where the accepted type is open"] = [new("Other, Large", "Other, Large, Small"), new("\"round\")]", "\"round\")] [JsonDerivedType(typeof(Flat), \"flat\")]"), new("public enum Size", "[System.Flags] public enum Size")],
        ["other names of types, namespaces, documentation"] = [new("namespace Shop", "namespace Renamed"), new("Draft", "Outline"), new("[Get, Post", "/// <summary>Finds it.</summary>\n    [Get, Post")],
        ["one that can become a job, other values of `[Job]`"] =
        [
            new("public string? Add(", "[Job] public string? Add("), new("[Job(\"import\")]", "[Job(\"import\", Attempts = 3, Timeout = null, Key = \"id\")]"), new("[Job(\"import\")]", "[Job(\"import\", Attempts = 2)]"), new("[Job]", "[Job(\"Orders/Export\")]"),
        ],
        ["a new one"] = [new("public void Pay", "[Throws(typeof(InvalidOperationException), Status = 409)] public void Pay")],
    };

    /// <summary>A text of the accepted contract, and what takes its place.</summary>
    internal sealed record Change(string Before, string After);
}
