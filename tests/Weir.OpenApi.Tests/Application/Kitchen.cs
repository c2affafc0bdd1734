using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;

namespace Weir.OpenApi.Tests.Application;

public enum Size
{
    Small,
    [JsonStringEnumMemberName("very-large")]
    Large,
    [EnumMember(Value = "tiny-one")]
    Tiny,
}

[Flags]
public enum Toppings
{
    Cheese = 1,
    Ham = 2,
}

/// <summary>An enum that no operation of Weir takes.</summary>
public enum Foreign
{
    First,
    Second,
}

public sealed record Pizza(string Name, Size Size, decimal Price, Toppings Toppings, List<string> Notes, Size? Second = null, int? Slices = 8)
{
    public Guid Id { get; set; }

    public Cook? Cook { get; set; }
}

public sealed record Cook(string Name, DateOnly Since, double[] Marks);

public sealed record Search([FromQuery(Name = "q")] string Text, [FromHeader(Name = "X-Page")] int Page, Size Size = Size.Small);

public sealed class PizzaNotFoundException(string message) : Exception(message);

/// <summary>Makes pizzas.</summary>
[Service]
public sealed class Kitchen
{
    /// <summary>Finds a <see cref="Pizza"/>.</summary>
    /// <remarks>Reads only.</remarks>
    /// <param name="id">The number of the
    /// pizza.</param>
    /// <returns>The pizza.</returns>
    [Get("/pizzas/{id:int}")]
    [Throws(typeof(PizzaNotFoundException), Status = 404)]
    public Pizza Find(int id, Size size = Size.Small, string? note = null) =>
        id < 0 ? throw new PizzaNotFoundException($"There is no pizza {id}.") : Bake($"Pizza {id}", size) with { Notes = note is null ? [] : [note] };

    [Put("/pizzas/{id:int}")]
    public Pizza Replace(int id, Pizza pizza) => pizza with { Name = $"{pizza.Name} {id}" };

    public Pizza Create(Pizza pizza) => pizza;

    [Post("/pizzas")]
    public Created<Pizza> Add(Pizza pizza) => TypedResults.Created($"/pizzas/{pizza.Name}", pizza);

    public decimal Total(Pizza first, Pizza second, int count = 2) => (first.Price + second.Price) * count;

    public string Describe(string name, Size size, int[] counts) => $"{name} {size} {counts.Length}";

    /// <param name="fast">Whether it hurries.</param>
    public int Order(int x, int y, bool fast = true, double factor = 1.5, string text = "none") => x + y + (fast ? 1 : 0) + text.Length + (int)factor;

    public string Labelled([FromHeader(Name = "X-Label")] string label, [FromQuery(Name = "n")] int[] numbers, int count = 1) => $"{label} {numbers.Sum()} {count}";

    public string Posted([FromForm] int a, [FromForm] string b = "nothing") => $"{a} {b}";

    /// <param name="photo">What it looks like.</param>
    public string Show(IFormFile photo, IFormFileCollection others, string title = "none") => $"{title} {photo.Length} {others.Count}";

    public string Menu(IFormFile? scan) => $"{scan?.Length}";

    public string Scan(IFormFileCollection pages) => $"{pages.Count}";

    /// <param name="search">What to look for.</param>
    [Get]
    public string Look([AsParameters] Search search, int most = 10) => $"{search.Text} {search.Page} {search.Size} {most}";

    public void Forget(Guid id) => _ = id;

    [Delete]
    public void Remove(int id) => _ = id;

    [Get, Resumable]
    public async IAsyncEnumerable<Pizza> All(int count = 3, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var number = 0; number < count && number < 10; number++)
        {
            await Task.Yield();
            ct.ThrowIfCancellationRequested();
            yield return Bake($"Pizza {number}", Size.Small);
        }
    }

    public async Task<int> Sum(IAsyncEnumerable<int> numbers)
    {
        var sum = 0;
        await foreach (var number in numbers)
        {
            sum += number;
        }

        return sum;
    }

    public long Upload(ReadOnlyMemory<byte> data, string name) => data.Length + name.Length;

    [Get]
    public byte[] Download(byte size = 10) => new byte[size];

    [Get]
    public Pizza? Maybe(bool any) => any ? Bake("any", Size.Small) : null;

    [Get, Post]
    public double Scale(double x, DateOnly date, TimeSpan? wait = null) => x + date.Day + (wait?.TotalSeconds ?? 0);

    [Get, Authorize]
    public string Secret() => "secret";

    [Isolated("baking"), Job]
    public string Bake(Toppings toppings) => toppings.ToString();

    private static Pizza Bake(string name, Size size) => new(name, size, 9.5m, Toppings.Cheese | Toppings.Ham, []) { Cook = new Cook("Ada", new DateOnly(2026, 1, 31), [1.5]) };
}

[Service]
public sealed class Names
{
    [Get, Tags("Named"), EndpointName("NamedByItsAttribute")]
    public int Named() => 1;
}
