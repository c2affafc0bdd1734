namespace Weir.Jobs.PostgreSql.Tests.Claiming;

/// <summary>A transaction that is open anywhere on a server holds every mark back: these tests run while no other does.</summary>
[CollectionDefinition(nameof(NoOtherTransactions), DisableParallelization = true)]
public sealed class NoOtherTransactions;
