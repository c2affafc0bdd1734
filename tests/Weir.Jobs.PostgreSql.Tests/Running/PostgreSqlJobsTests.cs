using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.PostgreSql.Tests.Running;

public sealed class PostgreSqlJobsTests(PostgreSqlServer server) : JobsCompliance
{
    private readonly string _schema = server.NewSchema();

    protected override void Choose(WeirJobsOptions jobs) => jobs.UsePostgreSql(server.ConnectionString, options => options.Schema = _schema);
}
