using System.ComponentModel.DataAnnotations;

namespace Weir.IntegrationTests.Services;

/// <summary>Operations whose arguments have validation attributes, wherever they run.</summary>
[Service]
public sealed class Validated
{
    [Get] public string Inline([Range(1, 5)] int count, Month month = Month.May) => $"{count} {month}";

    [Blocking] public int Lane(ValidatedOrder order) => order.Lines.Length;

    [Isolated(Kinds.Pool)] public int Worker(ValidatedOrder order) => order.Lines.Length;

    [Isolated(Kinds.Pool), Get]
    public async IAsyncEnumerable<int> Stream([Range(1, 5)] int count)
    {
        for (var number = 0; number < count; number++)
        {
            await Task.Yield();
            yield return number;
        }
    }

    public async Task<int> Items(IAsyncEnumerable<ValidatedLine> lines) => await CountAsync(lines);

    [Isolated(Kinds.Pool)] public async Task<int> WorkerItems(IAsyncEnumerable<ValidatedLine> lines) => await CountAsync(lines);

    public void Throwing([Throwing] int x) => _ = x;

    public string Greeting([Known] string name) => name;

    private static async Task<int> CountAsync(IAsyncEnumerable<ValidatedLine> lines)
    {
        var count = 0;
        await foreach (var line in lines)
        {
            count += line.Count;
        }

        return count;
    }
}

/// <summary>A list of lines that must not be empty.</summary>
/// <param name="Lines">The lines.</param>
/// <param name="Note">Free text.</param>
public sealed record ValidatedOrder([MinLength(1)] ValidatedLine[] Lines, [StringLength(3)] string? Note = null) : IValidatableObject
{
    /// <inheritdoc/>
    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext) =>
        Note == "no" ? [new ValidationResult("the note refuses the order", [nameof(Note), nameof(Lines)])] : [];
}

/// <summary>One line.</summary>
/// <param name="Count">How many.</param>
public sealed record ValidatedLine([Range(1, 9)] int Count);

/// <summary>An argument.</summary>
public enum Month
{
    /// <summary>The fourth.</summary>
    April = 4,

    /// <summary>The fifth.</summary>
    May,
}

/// <summary>An attribute with an error.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class ThrowingAttribute : ValidationAttribute
{
    /// <inheritdoc/>
    public override bool IsValid(object? value) => throw new ArgumentException("not for callers");
}

/// <summary>Accepts the names that a service of the application knows.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class KnownAttribute : ValidationAttribute
{
    /// <inheritdoc/>
    protected override ValidationResult? IsValid(object? value, ValidationContext validationContext) =>
        (validationContext.GetService(typeof(KnownNames)) as KnownNames)?.Names.Contains(value as string) == true ? ValidationResult.Success : new ValidationResult("unknown");
}

/// <summary>What <see cref="KnownAttribute"/> asks.</summary>
/// <param name="Names">The names.</param>
public sealed record KnownNames(IReadOnlyList<string?> Names);
