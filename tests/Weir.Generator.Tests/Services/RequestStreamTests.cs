using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Streamed requests: every kind of item, every kind of method, and how they differ on the wire.</summary>
public sealed class RequestStreamTests
{
    private static readonly Served Served = Served.From(
        """
        using Weir;
        namespace Sample;

        public sealed record Person(string Name, int? Age = null);

        [Service] public sealed class Streams
        {
            public async Task<string> Numbers(IAsyncEnumerable<int?> numbers) => await Join(numbers, one => $"{one}");
            public async Task<string> Words(IAsyncEnumerable<string?> @class) => await Join(@class, one => one ?? "null");
            public async Task<string> Days(IAsyncEnumerable<DayOfWeek> days) => await Join(days, one => $"{(int)one}");
            public async Task<string> Lists(string[] names, IAsyncEnumerable<int[]> items) => await Join(items, one => $"{names.Length}/{one.Length}");
            public async Task<string> People(IAsyncEnumerable<Person?> people) => await Join(people, one => $"{one?.Name}");
            public async Task<string> Bytes(IAsyncEnumerable<byte[]> parts) => await Join(parts, one => $"{one.Length}");
            public async Task<string> Memory(IAsyncEnumerable<ReadOnlyMemory<byte>> parts) => await Join(parts, one => $"{one.Length}");
            public async Task<string> Maybe(IAsyncEnumerable<ReadOnlyMemory<byte>?> parts) => await Join(parts, one => $"{one?.Length ?? -1}");
            [Blocking] public int Sum(IAsyncEnumerable<int> numbers) => numbers.ToBlockingEnumerable().Sum();
            public async ValueTask Nothing(IAsyncEnumerable<int> numbers, CancellationToken token) => await Task.Yield();

            private static async Task<string> Join<T>(IAsyncEnumerable<T> items, Func<T, string> text)
            {
                var all = new List<string>();
                await foreach (var item in items) { all.Add(text(item)); }
                return string.Join(' ', all);
            }
        }

        [Service] public interface IAdder { Task<int> Add(IAsyncEnumerable<int> numbers); }

        [Service(typeof(IAdder)), Blocking] public sealed class Adder
        {
            public int Add(IAsyncEnumerable<int> numbers) => numbers.ToBlockingEnumerable().Sum();
        }
        """);

    [Theory]
    [InlineData("Numbers", "1  -2", "1", "null", "-2")]
    [InlineData("Words", "a null ", "\"a\"", "null", "\"\"")]
    [InlineData("Days", "1 2", "\"monday\"", "2")]
    [InlineData("People", "a ", """{"name":"a"}""", "null")]
    [InlineData("Bytes", "3 0", "\"AQID\"", "\"\"")]
    [InlineData("Memory", "3", "\"AQID\"")]
    [InlineData("Maybe", "3 -1", "\"AQID\"", "null")]
    [InlineData("Lists", "0/2 0/0", "[1,2]", "[]")]
    public async Task Every_kind_of_item_is_read_from_JSON_and_survives_its_way_to_a_worker(string operation, string result, params string[] items)
    {
        Assert.Equal(result, await RunAsync(operation, new ListedItems(items)));

        var host = Served.Query($"Streams/{operation}").Good().Call;
        host.TakeItems(new ListedItems(items));
        var sent = await ListedItems.Send(host);
        Assert.Equal(operation is "Bytes" or "Memory", sent.TrueForAll(static item => item.Encoding == ResultEncoding.Raw));
        Assert.Equal(result, await RunAsync(operation, new ListedItems([.. sent])));
    }

    [Theory]
    [InlineData("Numbers", "numbers[0]: invalid", "true")]
    [InlineData("Words", "class[1]: invalid", "\"a\"", "1")]
    [InlineData("People", "people[0].age: invalid", """{"name":"a","age":"b"}""")]
    [InlineData("Bytes", "parts[0]: null", "null")]
    [InlineData("Lists", "items[0][1]: invalid", "[1,\"2\"]")]
    public async Task An_item_of_another_kind_is_named(string operation, string expected, params string[] items)
    {
        var error = await Assert.ThrowsAsync<BindingException>(() => RunAsync(operation, new ListedItems(items)));
        Assert.Equal(expected, $"{error.Errors[0].Name}: {error.Errors[0].Reason}");
    }

    [Fact]
    public async Task Only_bytes_may_come_raw()
    {
        var error = await Assert.ThrowsAsync<BindingException>(() => RunAsync("Numbers", new ListedItems(new EncodedItem(ResultEncoding.Raw, [1]))));
        Assert.Equal("numbers[0]: invalid", $"{error.Errors[0].Name}: {error.Errors[0].Reason}");
    }

    [Theory]
    [InlineData("Streams/Sum")]
    [InlineData("Adder/Add")]
    public async Task A_blocking_method_may_wait_for_its_items(string operation)
    {
        var binding = Served.Json(operation, "{}").Good();
        binding.Call.TakeItems(new ListedItems("1", "2", "3"));

        Assert.Equal(Placement.Lane, binding.Call.Operation.Placement);
        Assert.Equal("6", Served.Result(await Served.Run(binding)));
    }

    [Fact]
    public void The_description_says_so()
    {
        Assert.True(Served.Operation("Streams/Nothing").StreamsRequest);
        var items = Served.Operation("Streams/Lists").ItemsParameter!;
        Assert.Equal(new Parameter("items", "IAsyncEnumerable<int[]>", ParameterSource.Items, false), items with { Type = null });
        Assert.Equal(typeof(IAsyncEnumerable<int[]>), items.Type!());
        Assert.Equal(Verbs.Post, Served.Operation("Streams/Lists").Verbs);
        Assert.True(Served.Operation("Streams/Nothing").HasPlainArguments);
    }

    [Fact]
    public void One_sequence_is_another_signature_than_one_list()
    {
        ulong Signature(string type) => Served.From($"using Weir; [Service] public class S {{ public Task M({type} x) => null!; }}").Operation("S/M").Signature;

        Assert.Equal(3, new[] { Signature("IAsyncEnumerable<int>"), Signature("IEnumerable<int>"), Signature("int") }.Distinct().Count());
    }

    private static async Task<string> RunAsync(string operation, ListedItems items)
    {
        var binding = Served.Query($"Streams/{operation}").Good();
        binding.Call.TakeItems(items);
        return (string)(await Served.Run(binding)).Result!;
    }
}
