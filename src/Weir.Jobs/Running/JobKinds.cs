using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>The kinds of this process by their names, and by their operations. Immutable.</summary>
internal sealed class JobKinds
{
    // As the store has them, with case; two that differ in it only are refused.
    private readonly Dictionary<string, JobKind> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<Operation, JobKind> _byOperation = [];

    /// <summary>Finds them.</summary>
    /// <param name="catalogs">What the application serves.</param>
    /// <param name="options">What it set for jobs.</param>
    /// <param name="weir">What it set for pools.</param>
    /// <param name="pools">The pools that have workers.</param>
    /// <exception cref="InvalidOperationException">Two operations have one kind, options name none, or an option is out of its range (WEIR3002).</exception>
    public JobKinds(WeirCatalogs catalogs, WeirJobsOptions options, Func<string, PoolOptions> weir, IEnumerable<string> pools)
    {
        var workers = pools.ToHashSet(StringComparer.OrdinalIgnoreCase);
        var groups = new Dictionary<string, SlotGroup>(StringComparer.OrdinalIgnoreCase);
        var names = new Dictionary<string, JobKind>(StringComparer.OrdinalIgnoreCase);
        foreach (var operation in catalogs.Services.SelectMany(static service => service.Operations).Where(static operation => operation.Job is not null))
        {
            var name = operation.Job!.Kind ?? operation.FullName;
            var isIsolated = operation.Placement == Placement.Isolated;
            var pool = isIsolated ? weir(operation.Pool!) : null;
            var group = isIsolated ? groups.GetValueOrDefault(operation.Pool!) ?? (groups[operation.Pool!] = new SlotGroup(SlotsOf(pool!))) : null;
            var kind = new JobKind(operation, options.Kinds.GetValueOrDefault(name), isShared: pool is not { Concurrency: 1 }) { Group = group ?? new SlotGroup(int.MaxValue), RunsInWorker = isIsolated && workers.Contains(operation.Pool!), IsRun = options.Only is null || options.Only.Any(pattern => Fits(pattern, name)) };
            kind.Group.Add(kind);
            _byOperation.Add(operation, kind);
            if (!names.TryAdd(name, kind))
            {
                throw new InvalidOperationException(
                    $"{operation} and {names[name].Operation} are both jobs of the kind '{name}' (case is ignored): give one another name by [Job(\"…\")]. See {WeirCodes.InvalidOptions}.");
            }

            _byName.Add(name, kind);
        }

        All = [.. _byName.Values];
        if (options.Only?.FirstOrDefault(pattern => !names.Keys.Any(name => Fits(pattern, name))) is { } other)
        {
            throw new InvalidOperationException(
                $"Weir:Jobs:Only has '{other}', and no kind fits it; the kinds are: {string.Join(", ", _byName.Values.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}. See {WeirCodes.InvalidOptions}.");
        }

        if (options.Kinds.Keys.FirstOrDefault(name => !names.ContainsKey(name)) is { } unknown)
        {
            throw new InvalidOperationException(
                $"The kind '{unknown}' has options (Weir:Jobs:Kinds), and no operation has it; the kinds are: {string.Join(", ", _byName.Values.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}. See {WeirCodes.InvalidOptions}.");
        }
    }

    public IReadOnlyList<JobKind> All { get; }

    /// <summary>Whether a name of <see cref="WeirJobsOptions.Only"/> is that of a kind.</summary>
    public static bool Fits(string pattern, string kind) => pattern.EndsWith('*')
        ? kind.AsSpan().StartsWith(pattern.AsSpan(0, pattern.Length - 1), StringComparison.OrdinalIgnoreCase)
        : kind.Equals(pattern, StringComparison.OrdinalIgnoreCase);

    /// <summary>The kind with a name; <c>null</c> where this process has none.</summary>
    public JobKind? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>The kind with a name that a person wrote: without regard to case.</summary>
    /// <exception cref="ArgumentException">This process has none.</exception>
    public JobKind FindAnyCase(string name) => All.FirstOrDefault(kind => kind.Name.Equals(name, StringComparison.OrdinalIgnoreCase)) ?? throw new ArgumentException(
        $"There is no kind '{name}'; the kinds are: {string.Join(", ", All.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}.", nameof(name));

    /// <summary>The kind of an operation.</summary>
    /// <exception cref="InvalidOperationException">It is no job.</exception>
    public JobKind Of(Operation operation) => _byOperation.GetValueOrDefault(operation) ?? throw new InvalidOperationException(
        operation.Job is null
            ? $"{operation} is no job: mark it with [Job], on the interface where there is one, or call it directly."
            : $"{operation} is not in the application's catalogs; pass its catalog to AddWeir.");

    // One place stays for direct calls, where that leaves one for jobs.
    private static int SlotsOf(PoolOptions pool)
    {
        var places = (int)Math.Min((long)pool.MaxWorkers * pool.Concurrency, int.MaxValue);
        return places > 1 ? places - 1 : 1;
    }
}
