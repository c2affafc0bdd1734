using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Weir.Generator.Tests.Guide;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>A change that breaks callers of the accepted contract is a build error; an addition is none.</summary>
public sealed class ContractBaselineTests
{
    private const string Accepting = "build_property.WeirAcceptsContract";

    private const string First = """
        using System.Text.Json.Serialization; using Weir;
        namespace Shop;
        public enum Color { [EnumFallback] Red, Green }
        public sealed record Line(string Article, int Count = 1);
        public sealed record Order(long Id, Color Color, Line[] Lines, string? Note);
        public sealed class Draft { public required string Customer { get; set; } public Color? Color { get; set; } public int Priority { get; set; } }
        [JsonDerivedType(typeof(Card), "card")] [JsonDerivedType(typeof(Cash), "cash")] public abstract record Payment;
        public sealed record Card(string Number) : Payment;
        public sealed record Cash(decimal Amount) : Payment;
        [Service] public sealed class Orders
        {
            [Get("{id:long}")] public Order? Find(long id, Color? color = null) => null;
            public long Add(Draft draft, bool urgent = false) => 0;
            [Get, Post] public IAsyncEnumerable<Order> All(string[] names) => throw new NotSupportedException();
            public void Pay(long id, Payment payment, Payment? tip) { }
            public string Name(long id) => "";
            [Get, Resumable] public IAsyncEnumerable<long> Watch(long from = 0) => throw new NotSupportedException();
        }
        """;

    /// <summary>The same with what may be added: the second generation of the contract.</summary>
    private const string Second = """
        using System.Text.Json.Serialization; using Weir;
        namespace Renamed;
        public enum Color { [EnumFallback] Red, Green, Blue }
        public sealed record Line(string Article, int Count = 1, string? Unit = null);
        public sealed record Order(long Id, Color Color, Line[] Lines, string? Note, decimal Total);
        public sealed class Draft { public required string Customer { get; set; } public Color? Color { get; set; } public int Priority { get; set; } public string? Reference { get; set; } }
        [JsonDerivedType(typeof(Card), "card")] [JsonDerivedType(typeof(Cash), "cash")] [JsonDerivedType(typeof(Voucher), "voucher")] public abstract record Payment;
        public sealed record Card(string Number, string? Holder = null) : Payment;
        public sealed record Cash(decimal Amount) : Payment;
        public sealed record Voucher(string Code) : Payment;
        [Service] public sealed class Orders
        {
            /// <summary>Finds an order.</summary>
            [Get("{id:long}"), Throws(typeof(InvalidOperationException), Status = 409)] public Order? Find(long id, Color? color = null, int depth = 1) => null;
            public long Add(Draft draft, bool urgent = false) => 0;
            [Get, Post] public IAsyncEnumerable<Order> All(string[] names, string[] others) => throw new NotSupportedException();
            public void Pay(long id, Payment payment, Payment? tip) { }
            public string Name(long id) => "";
            [Get, Resumable] public IAsyncEnumerable<long> Watch(long from = 0) => throw new NotSupportedException();
            public int Count() => 0;
        }
        """;

    [Fact]
    public void The_accepted_code_itself_breaks_nothing() => Assert.Empty(Changes(First));

    [Fact]
    public void The_second_generation_has_additions_only_which_break_nothing() => Assert.Empty(Changes(Second));

    [Fact]
    public void Taking_the_additions_back_breaks_callers_of_the_second_generation() =>
        Assert.Contains(
            Driver.Run(Driver.Library(First), baseline: Baseline(Second)).Reported.Select(static one => one.GetMessage(null)),
            static one => one.StartsWith("Orders/Count: it is not there any more.", StringComparison.Ordinal));

    [Theory]
    [InlineData("public string Name(long id) => \"\";", "", "Orders/Name: it is not there any more.")]
    [InlineData("[Get, Resumable]", "[Get]", "Orders/Watch: it does not continue after a cut as before ([Resumable]).")]
    [InlineData("[Get, Post]", "[Get]", "Orders/All: POST /Orders/All is not served any more.")]
    [InlineData("{id:long}", "by/{id}", "Orders/Find: GET /Orders/{id} is not served any more.")]
    [InlineData("public string Name(long id)", "public string Name(long number)", "Orders/Name: the parameter 'id' is not there any more.", "Orders/Name: the parameter 'number' is new, and must be sent.")]
    [InlineData("public string Name(long id)", "public string Name(int id)", "Orders/Name: the parameter 'id' is int32, and was int64.")]
    [InlineData("public string Name(long id)", "public string Name([Microsoft.AspNetCore.Mvc.FromQuery] long id)", "Orders/Name: the parameter 'id' comes from 'query', and came from 'value'.")]
    [InlineData("public string Name(long id)", "public string Name(long id, int more)", "Orders/Name: the parameter 'more' is new, and must be sent.")]
    [InlineData("bool urgent = false", "bool urgent", "Orders/Add: the parameter 'urgent' must be sent, and was optional.")]
    [InlineData("Payment? tip", "Payment tip", "Orders/Pay: the parameter 'tip' must be sent, and was optional.", "Orders/Pay: the parameter 'tip' may not be null any more.")]
    [InlineData("public string Name(long id) => \"\"", "public string? Name(long id) => \"\"", "Orders/Name: the result may be null, and was never.")]
    [InlineData("public string Name(long id) => \"\"", "public int Name(long id) => 0", "Orders/Name: its result is 'value', and was 'text'.")]
    [InlineData("public string Name(long id) => \"\"", "[MediaType(\"image/png\")] public byte[] Name(long id) => null!", "Orders/Name: its result is 'bytes', and was 'text'.")]
    [InlineData("IAsyncEnumerable<Order> All", "Order[] All", "Orders/All: its result is 'value', and was 'stream'.")]
    [InlineData("string? Note)", "string? Text)", "Orders/All: the result: 'note' of Order is not there any more.", "Orders/Find: the result: 'note' of Order is not there any more.")]
    [InlineData("Line[] Lines", "Dictionary<string, Line> Lines", "Orders/All: the result: 'lines' of Order is Shop.Line{}, and was Shop.Line[].", "Orders/Find: the result: 'lines' of Order is Shop.Line{}, and was Shop.Line[].")]
    [InlineData("Line(string Article", "Line(string? Article", "Orders/All: an item of the result: 'lines' of Order: 'article' of Line may be null, and was never.", "Orders/Find: an item of the result: 'lines' of Order: 'article' of Line may be null, and was never.")]
    [InlineData("public int Priority", "public required int Priority", "Orders/Add: the parameter 'draft': 'priority' of Draft must be sent, and was optional.")]
    [InlineData("public int Priority", "public required int More { get; set; } public int Priority", "Orders/Add: the parameter 'draft': 'more' of Draft is new, and must be sent.")]
    [InlineData("public int Priority { get; set; }", "", "Orders/Add: the parameter 'draft': 'priority' of Draft is not read any more.")]
    [InlineData("Red, Green }", "Red }", "Orders/Add: the parameter 'draft': 'color' of Draft: Color has no 'Green' any more.", "Orders/All: the result: 'color' of Order: Color has no 'Green' any more.", "Orders/Find: the parameter 'color': Color has no 'Green' any more.", "Orders/Find: the result: 'color' of Order: Color has no 'Green' any more.")]
    [InlineData("[JsonDerivedType(typeof(Cash), \"cash\")] ", "", "Orders/Pay: the parameter 'payment': Payment has no case 'cash' any more.")]
    [InlineData("Card(string Number)", "Card(string Number, int Cvc)", "Orders/Pay: the parameter 'payment' as 'card': 'cvc' of Card is new, and must be sent.")]
    [InlineData("[Service]", "[Service(\"Sales\")]", "Orders: it is not served any more.")]
    public void A_change_that_breaks_callers_is_an_error_that_names_it(string before, string after, params string[] expected)
    {
        Assert.Contains(before, First, StringComparison.Ordinal);
        var later = First.Replace(before, after, StringComparison.Ordinal);
        Assert.Equal(expected, Changes(later).Select(static one => one.GetMessage(null)).Select(static one => one[..(one.IndexOf(" Callers", StringComparison.Ordinal))]));
    }

    [Theory]
    [InlineData("", "[MediaType(\"image/png\")] ", "its result is image/png, and was bytes of no declared media type")]
    [InlineData("[MediaType(\"image/png\")] ", "", "its result is bytes of no declared media type, and was image/png")]
    [InlineData("[MediaType(\"image/png\")] ", "[MediaType(\"image/webp\")] ", "its result is image/webp, and was image/png")]
    public void Another_media_type_of_bytes_breaks_callers_and_changes_the_signature(string before, string after, string expected)
    {
        var (first, second) = (Driver.Library(Source(before)), Source(after));
        var reported = Driver.Run(Driver.Library(second), baseline: Baseline(Source(before))).Reported;
        Assert.Contains(expected, Assert.Single(reported).GetMessage(null), StringComparison.Ordinal);
        Assert.Empty(Driver.Run(first, baseline: Baseline(Source(before))).Reported);
        Assert.NotEqual(Baseline(Source(before)), Baseline(second));

        static string Source(string attribute) => $"using Weir; [Service] public class Pictures {{ {attribute}public byte[] Get() => null!; }}";
    }

    /// <summary>Each cell of the table on the page has changes that show it: what it says breaks callers is an error, and nothing else.</summary>
    [Fact]
    public void The_table_on_the_page_is_what_the_rules_are()
    {
        var page = GuideTests.Text("contracts.md");
        var table = page[page.IndexOf("| Breaks callers | Does not |", StringComparison.Ordinal)..];
        var cells = table[..table.IndexOf("\n\n", StringComparison.Ordinal)].Split('\n')[2..].Select(static row => row.Trim('|').Split('|', StringSplitOptions.TrimEntries)).ToList();
        Assert.Equal(cells.Select(static row => row[0]).Order(StringComparer.Ordinal), ContractRows.Breaking.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(cells.Select(static row => row[1]).Order(StringComparer.Ordinal), ContractRows.Compatible.Keys.Order(StringComparer.Ordinal));
        var accepted = Baseline(ContractRows.Accepted);
        foreach (var (row, change, isBreaking) in ContractRows.Breaking.SelectMany(static row => row.Value.Select(change => (row.Key, change, true)))
            .Concat(ContractRows.Compatible.SelectMany(static row => row.Value.Select(change => (row.Key, change, false)))))
        {
            Assert.True(ContractRows.Accepted.Contains(change.Before, StringComparison.Ordinal), $"{row}: the accepted contract has no '{change.Before}'");
            var output = Driver.Run(Driver.Library(ContractRows.Accepted.Replace(change.Before, change.After, StringComparison.Ordinal)), baseline: accepted);
            Assert.Empty(output.Compiled);
            Assert.True(output.Reported.IsEmpty != isBreaking, $"{row}: '{change.Before}' → '{change.After}' {(isBreaking ? "is no error" : $"is {output.Reported.FirstOrDefault()}")}");
        }
    }

    [Theory]
    [InlineData("enum Color { Red }", "enum Color { Red, Blue }", "Things/Get: the result: Color has 'Blue', which a caller in C# does not know; [EnumFallback]")]
    [InlineData("public enum Color { Red }", "[System.Flags] public enum Color { Red }", "Things/Get: the result has another form: Color, and was Color.")]
    [InlineData("Throws(typeof(InvalidOperationException), Status = 404), ", "", "Things/Get: it does not declare InvalidOperationException any more ([Throws]).")]
    [InlineData("Status = 404", "Status = 409", "Things/Get: InvalidOperationException has the status 409, and had 404 ([Throws]).")]
    public void What_callers_would_not_read_as_before_is_an_error_that_names_it(string before, string after, string expected)
    {
        const string Accepted = "using Weir; public enum Color { Red } [Service] public sealed class Things { [Throws(typeof(InvalidOperationException), Status = 404), Get] public Color Get() => default; }";
        var change = Assert.Single(Driver.Run(Driver.Library(Accepted.Replace(before, after, StringComparison.Ordinal)), baseline: Baseline(Accepted)).Reported);
        Assert.StartsWith(expected, change.GetMessage(null), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Job(\"import\")", "Post", "Things/Load: its calls cannot be jobs any more ([Job]), and were jobs of the kind 'import'. Callers")]
    [InlineData("Job", "Post", "Things/Load: its calls cannot be jobs any more ([Job]), and were jobs of the kind 'Things/Load'. Callers")]
    [InlineData("Job(\"import\")", "Job(\"load\")", "Things/Load: its jobs are of the kind 'load', and were of 'import' ([Job]). Callers")]
    [InlineData("Job(\"import\")", "Job(\"Import\")", "Things/Load: its jobs are of the kind 'Import', and were of 'import' ([Job]). Callers")]
    [InlineData("Job(\"import\")", "Job", "Things/Load: its jobs are of the kind 'Things/Load', and were of 'import' ([Job]). Callers")]
    [InlineData("Job", "Job(Respond = JobRespond.Always)", "Things/Load: its requests become jobs always, and became jobs when they prefer it ([Job(Respond = …)]). Callers")]
    [InlineData("Job(Respond = JobRespond.Always)", "Job", "Things/Load: its requests become jobs when they prefer it, and became jobs always ([Job(Respond = …)]). Callers")]
    [InlineData("Job", "Job(Respond = JobRespond.Never)", "Things/Load: its requests become jobs never, and became jobs when they prefer it ([Job(Respond = …)]). Callers")]
    [InlineData("Job", "Job(Respond = JobRespond.WhenPreferred)", null)]
    [InlineData("Post", "Job(Respond = JobRespond.Always)", "Things/Load: its requests become jobs always, and did not ([Job(Respond = …)]). Callers")]
    [InlineData("Post", "Job", null)]
    [InlineData("Job(\"import\")", "Job(\"import\", Attempts = 3)", null)]
    public void Jobs_of_an_accepted_kind_must_stay(string before, string after, string? expected)
    {
        const string Accepted = "using Weir; [Service] public sealed class Things { [{0}] public int Load(int id) => id; }";
        var changes = Driver.Run(Driver.Library(Accepted.Replace("{0}", after, StringComparison.Ordinal)), baseline: Baseline(Accepted.Replace("{0}", before, StringComparison.Ordinal))).Reported;
        Assert.Equal(expected is null ? 0 : 1, changes.Length);
        Assert.All(changes, one => Assert.StartsWith(expected!, one.GetMessage(null), StringComparison.Ordinal));
    }

    [Fact]
    public void The_error_is_at_the_operation_and_names_the_command()
    {
        var change = Assert.Single(Changes(First.Replace("public string Name(long id)", "public string Name(int id)", StringComparison.Ordinal)));
        Assert.Equal("WEIR1053", change.Id);
        Assert.Equal("Name", First.Split('\n')[change.Location.GetLineSpan().StartLinePosition.Line].Substring(change.Location.GetLineSpan().StartLinePosition.Character, "Name".Length));
        Assert.Contains("'weir contract accept'", change.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public void A_build_that_accepts_the_contract_compares_nothing() =>
        Assert.Empty(Driver.Run(Driver.Library(First), new Dictionary<string, string> { [Accepting] = "true" }, Baseline(Second)).Reported);

    [Fact]
    public void An_interface_that_no_class_serves_is_compared_too()
    {
        const string Contract = "[Weir.Service] public interface IThings { Task<int> Count(); }";
        var change = Assert.Single(Driver.Run(Driver.Library(Contract.Replace("<int>", "<long>", StringComparison.Ordinal)), baseline: Baseline(Contract)).Reported);
        Assert.StartsWith("Things/Count: the result is int64, and was int32.", change.GetMessage(null), StringComparison.Ordinal);
        Assert.Equal("Source1.cs", change.Location.GetLineSpan().Path);
    }

    [Theory]
    [InlineData("", "it is no JSON at character 0")]
    [InlineData("{\"services\":[{}]}", "a service has no name")]
    [InlineData("[]", "an object with 'services' is missing")]
    [InlineData("{\"services\":[{\"service\":\"Orders\\u00e", "it is no JSON at character 36")]
    public void A_file_that_is_no_contract_is_an_error(string text, string reason)
    {
        var error = Assert.Single(Driver.Run(Driver.Library(First), baseline: text).Reported);
        Assert.StartsWith($"weir.contract.json: it cannot be read: {reason}.", error.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public void A_nested_file_does_not_exhaust_the_stack() =>
        Assert.Single(Driver.Run(Driver.Library(First), baseline: new string('[', 100_000)).Reported);

    private static ImmutableArray<Diagnostic> Changes(string later) => Driver.Run(Driver.Library(later), baseline: Baseline(First)).Reported;

    private static string Baseline(string source)
    {
        var texts = Driver.Run(Driver.Library(source)).Load().GetCustomAttributesData().Where(static one => one.AttributeType.Name == nameof(WeirContractAttribute)).Select(static one => (string)one.ConstructorArguments[1].Value!);
        return $$"""{"services":[{{string.Join(',', texts)}}]}""";
    }
}
